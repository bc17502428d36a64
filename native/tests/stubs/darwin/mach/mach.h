/* SPDX-License-Identifier: MIT
 *
 * What is used of mach/mach.h.
 */
#ifndef STUB_MACH_MACH_H
#define STUB_MACH_MACH_H

#include <stdint.h>

typedef int kern_return_t;
typedef unsigned int mach_port_t;
typedef mach_port_t thread_act_t;
typedef mach_port_t task_t;
typedef int *thread_info_t;
typedef unsigned int thread_flavor_t;
typedef unsigned int mach_msg_type_number_t;

#define KERN_SUCCESS 0
#define THREAD_BASIC_INFO 3
#define TH_STATE_RUNNING 1
#define TH_STATE_STOPPED 2
#define TH_STATE_HALTED 5

typedef struct time_value {
  int seconds;
  int microseconds;
} time_value_t;

typedef struct thread_basic_info {
  time_value_t user_time;
  time_value_t system_time;
  int cpu_usage;
  int policy;
  int run_state;
  int flags;
  int suspend_count;
  int sleep_time;
} thread_basic_info_data_t;

#define THREAD_BASIC_INFO_COUNT ((mach_msg_type_number_t)(sizeof(thread_basic_info_data_t) / sizeof(int)))

extern mach_port_t mach_task_self_;
#define mach_task_self() mach_task_self_

mach_port_t mach_thread_self(void);
kern_return_t mach_port_deallocate(task_t task, mach_port_t name);
kern_return_t thread_info(thread_act_t thread, thread_flavor_t flavor, thread_info_t info, mach_msg_type_number_t *count);

#endif
