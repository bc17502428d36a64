# SPDX-License-Identifier: MIT
# Debian: musl-tools. The tests run as they are: the kernel and the processor are this machine's own.
set(CMAKE_C_COMPILER musl-gcc)
