# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Chromium without a screen, driven through a pipe in its DevTools protocol (JSON, each message ended by a null
byte): a page is opened, clicked, typed on, looked at. https://chromedevtools.github.io/devtools-protocol/"""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

KEYS = {"Enter": ("Enter", 13, "\r"), "Space": (" ", 32, " "), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""),
        "ArrowLeft": ("ArrowLeft", 37, ""), "ArrowUp": ("ArrowUp", 38, ""), "ArrowRight": ("ArrowRight", 39, ""),
        "ArrowDown": ("ArrowDown", 40, ""), "Home": ("Home", 36, ""), "End": ("End", 35, "")}
SHIFT = 8


def find():
    """The name of an installed Chromium, or None."""
    return next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)


class Browser:
    """A running Chromium with one page. Use it in a with statement."""

    def __init__(self, seconds=60):
        self.seconds = seconds
        self.number = 0
        self.buffer = b""
        self.errors, self.requests = [], []

    def __enter__(self):
        # its sockets are there, and their paths must be short
        self.scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # The protocol is spoken on descriptors 3 (to the browser) and 4 (from it).
        their_end, self.to = self.pipe()
        self.back, their_answer = self.pipe()
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   f"--user-data-dir={self.scratch.name}/profile", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{their_end} 4>&{their_answer}', find(), *options],
            pass_fds=(their_end, their_answer), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": self.scratch.name})
        os.close(their_end)
        os.close(their_answer)
        targets = self.ask("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = None
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.ask(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.ask("Browser.close")
        except (OSError, RuntimeError, TimeoutError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.back)
        self.scratch.cleanup()

    session = None

    @staticmethod
    def pipe():
        """A pipe with descriptors above those that the shell opens."""
        ends = os.pipe()
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
        for end in ends:
            os.close(end)
        return high

    # ---- the protocol ----

    def receive(self, until):
        """The next message, or TimeoutError."""
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            data = os.read(self.back, 1 << 20)
            if not data:
                raise RuntimeError("Chromium has ended")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        """Sends a command and waits for its answer; events that come in between are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        """Record errors and requests."""
        name, what = event.get("method"), event.get("params", {})
        if name == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif name == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
            self.errors.append(str(what["args"]))
        elif name == "Log.entryAdded" and what["entry"]["level"] == "error":
            self.errors.append(what["entry"]["text"])
        elif name == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif name == "Page.loadEventFired":
            self.is_loaded = True

    # ---- what a reader does ----

    def open(self, path, width=1280, height=800, dark=False):
        """Opens a file and waits until it is drawn; gives the seconds."""
        self.errors.clear()
        self.requests.clear()
        self.is_loaded = False
        self.resize(width, height)
        self.prefer(dark)
        begin = time.monotonic()
        self.ask("Page.navigate", url=Path(path).resolve().as_uri())
        while not self.is_loaded:
            self.note(self.receive(begin + self.seconds))
        self.settle()
        return time.monotonic() - begin

    def settle(self):
        """Waits until everything that is due has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def resize(self, width, height):
        """The size of the window, in points."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, dark):
        """Set the preference of the reader's system, dark or light."""
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of a JavaScript expression, waited for if it is a promise."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def of(self, selector, script):
        """The value of an expression of `it`, the element that a selector finds."""
        return self.run(f"(it => {script})(document.querySelector({json.dumps(selector)}))")

    def all(self, selector, script="it.textContent"):
        """The same for all that it finds, as a list."""
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(it => {script})")

    def place(self, selector, x=0.5, y=0.5):
        """Scroll an element into view; gives the position of a part of it in the window."""
        return self.of(selector, "{it.scrollIntoView({block: 'center'}); const box = it.getBoundingClientRect();"
                                 f"return [box.left + {x} * box.width, box.top + {y} * box.height]}}")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector, x=0.5, y=0.5):
        """Moves the pointer to a part of an element."""
        self.mouse("mouseMoved", *self.place(selector, x, y))
        self.settle()

    def click(self, selector):
        """Presses the middle of an element."""
        x, y = self.place(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def wheel(self, selector, delta, modifiers=0, x=0.5, y=0.5):
        """Turns the wheel over an element; 2 is the modifier Ctrl."""
        self.mouse("mouseWheel", *self.place(selector, x, y), deltaX=0, deltaY=delta, modifiers=modifiers)
        self.settle()

    def focus(self, selector):
        self.of(selector, "it.focus()")

    def key(self, name, times=1, modifiers=0):
        """Presses a key: a name of KEYS or a character."""
        key, code, text = KEYS.get(name, (name, ord(name[0].upper()), name))
        for _ in range(times):
            self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=name, windowsVirtualKeyCode=code,
                     text=text, modifiers=modifiers)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=name, windowsVirtualKeyCode=code,
                     modifiers=modifiers)
        self.settle()

    def type(self, text):
        self.ask("Input.insertText", text=text)
        self.settle()

    # ---- what a reader sees ----

    def image(self, path, selector=None):
        """A picture of the whole page, or of one element of it, as PNG."""
        area = "document.documentElement.getBoundingClientRect()"
        if selector:
            area = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        clip = self.run(f"(box => ({{x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1}}))({area})")
        answer = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        Path(path).write_bytes(base64.b64decode(answer["data"]))

    def pdf(self):
        """The page as it is printed."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])

    def roles(self):
        """Role and name of everything that assistive technology is told about."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored")]
