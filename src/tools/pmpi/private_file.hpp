/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef QMPI_PMPI_PRIVATE_FILE_HPP_INCLUDED
#define QMPI_PMPI_PRIVATE_FILE_HPP_INCLUDED

#include <cstddef>
#include <string>

namespace pmpi {

/* A file that exists only to be loaded as a library: a temporary file, or memory where no folder
 * for temporary files allows it. The object removes the file and closes the descriptor; what was
 * loaded from it stays. No two of these files have the same path, because the dynamic linker takes
 * equal paths for the same library. The functions throw std::runtime_error. */
class private_file {
  public:
    explicit private_file(const std::string &name);
    ~private_file();
    private_file(const private_file &) = delete;
    private_file &operator=(const private_file &) = delete;

    const std::string &path() const { return path_; }
    void append(const void *data, std::size_t size);
    void append_file(const std::string &from);

  private:
    bool create_in_folder(const std::string &name);
    bool create_in_memory(const std::string &name);
    bool is_loadable() const;

    int fd_ = -1;
    bool is_temporary_ = false;
    std::string path_;
};

/* Throws std::runtime_error where the dynamic linker would crash or wait, or has no clear message: the
 * path names no regular file, or a truncated one, or a library for another machine. */
void check_library_file(const std::string &path);

}  // namespace pmpi

#endif
