/* SPDX-License-Identifier: MIT
 *
 * Lets the library run with a glibc that is older than the one it was linked against.
 *
 * What is linked against glibc 2.34 or newer asks for threads by a version that older ones lack, because the functions
 * moved from libpthread into the C library. They are the same functions, and each glibc still has them under their first
 * version. Only the shared library asks for that one: the tests put doors before the functions by their plain names.
 */
#ifndef NTH__LINUX_OLD_GLIBC_H
#define NTH__LINUX_OLD_GLIBC_H

#if defined(NTH_OLD_GLIBC) && defined(__x86_64__)
#define NTH__FIRST_VERSION "GLIBC_2.2.5"
#elif defined(NTH_OLD_GLIBC) && defined(__aarch64__)
#define NTH__FIRST_VERSION "GLIBC_2.17"
#endif

#if defined(NTH__FIRST_VERSION)
__asm__(".symver pthread_create, pthread_create@" NTH__FIRST_VERSION);
__asm__(".symver pthread_join, pthread_join@" NTH__FIRST_VERSION);
__asm__(".symver pthread_sigmask, pthread_sigmask@" NTH__FIRST_VERSION);
#endif

#endif
