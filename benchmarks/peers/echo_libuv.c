/* SPDX-License-Identifier: MIT
 *
 * The echo server on libuv: one loop, one read buffer for all connections, written back at once with uv_try_write.
 * Only what a peer does not take becomes a write request, and until that is done the connection reads nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "echo_server.h"
#include "measure.h"

typedef struct unsent {
  uv_write_t request;
  char bytes[];
} unsent_t;

static char buffer[ECHO_BUFFER];
static uv_tcp_t listener;
static uv_poll_t stop_handles[2];
static int stop[2];
static echo_counts_t counts;

static void on_closed(uv_handle_t *handle) {
  free(handle);
}

static void close_stream(uv_stream_t *stream) {
  if (!uv_is_closing((uv_handle_t *)stream)) {
    uv_close((uv_handle_t *)stream, on_closed);
  }
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *result) {
  (void)handle;
  (void)suggested;
  *result = uv_buf_init(buffer, sizeof buffer);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *read);

static void on_written(uv_write_t *request, int status) {
  uv_stream_t *stream = request->handle;
  free(request->data);
  if (status < 0 || uv_read_start(stream, on_allocate, on_read) != 0) {
    close_stream(stream);
  }
}

static void hold_back(uv_stream_t *stream, const char *bytes, size_t length) {
  unsent_t *unsent = malloc(sizeof *unsent + length);
  require(unsent != NULL, "memory");
  memcpy(unsent->bytes, bytes, length);
  unsent->request.data = unsent;
  uv_read_stop(stream);
  uv_buf_t rest = uv_buf_init(unsent->bytes, (unsigned)length);
  if (uv_write(&unsent->request, stream, &rest, 1, on_written) != 0) {
    free(unsent);
    close_stream(stream);
  }
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *read) {
  if (length < 0) {
    close_stream(stream); /* the peer writes no more and has got everything, or has failed */
    return;
  }
  if (length == 0) {
    return; /* nothing was there after all */
  }
  counts.messages++;
  counts.bytes += length;
  uv_buf_t answer = uv_buf_init(read->base, (unsigned)length);
  int sent = uv_try_write(stream, &answer, 1);
  if (sent < 0 && sent != UV_EAGAIN) {
    close_stream(stream);
    return;
  }
  size_t done = sent < 0 ? 0 : (size_t)sent;
  if (done < (size_t)length) {
    hold_back(stream, read->base + done, (size_t)length - done);
  }
}

static void on_connection(uv_stream_t *server, int status) {
  require(status == 0, "connection to accept");
  uv_tcp_t *connection = malloc(sizeof *connection);
  require(connection != NULL, "memory");
  require(uv_tcp_init(server->loop, connection) == 0, "handle made");
  if (uv_accept(server, (uv_stream_t *)connection) != 0
      || uv_read_start((uv_stream_t *)connection, on_allocate, on_read) != 0) {
    close_stream((uv_stream_t *)connection);
    return;
  }
  counts.connections++;
}

static void on_stop(uv_poll_t *handle, int status, int events) {
  (void)status;
  (void)events;
  if (echo_must_stop(stop[handle == &stop_handles[1]])) {
    uv_stop(handle->loop);
  }
}

int main(void) {
  uv_loop_t *loop = uv_default_loop();
  int descriptor = echo_listen();
  require(uv_tcp_init(loop, &listener) == 0 && uv_tcp_open(&listener, descriptor) == 0, "handle made");
  require(uv_listen((uv_stream_t *)&listener, 1024, on_connection) == 0, "listening");
  echo_stop_descriptors(stop);
  for (int i = 0; i < 2; i++) {
    if (stop[i] >= 0) {
      require(uv_poll_init(loop, &stop_handles[i], stop[i]) == 0, "handle made");
      require(uv_poll_start(&stop_handles[i], UV_READABLE | UV_DISCONNECT, on_stop) == 0, "registered");
    }
  }
  echo_print_port(descriptor);
  uv_run(loop, UV_RUN_DEFAULT);
  echo_print_counts("libuv", &counts);
  return 0;
}
