/* SPDX-License-Identifier: MIT
 *
 * macOS: Linux's number for one of the system's errors.
 */
#ifndef NTH__DARWIN_ERRORS_H
#define NTH__DARWIN_ERRORS_H

int nth__error_of(int system);

#endif
