#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the peers need, from Debian's packages; strace counts system calls for the serial-wakeup table,
# wrk makes the load of the tables isolation and kestrel, which also takes h2load of nghttp2-client and starts a PostgreSQL.
set -eu
sudo=$([ "$(id -u)" -eq 0 ] || echo sudo)
$sudo apt-get update
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
  cmake gcc g++ libc6-dev make libuv1-dev libboost-fiber-dev libtbb-dev libgoogle-perftools-dev golang strace wrk \
  nghttp2-client postgresql
