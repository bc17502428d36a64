// A stand-in for the server: it serves the committed page with the same policy and sends the samples that a test gives it. What the
// page does at a certain sample is then the same on every run. The server itself is tried by server.test.mjs.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';

const page = new URL('../../../src/NativeThreading.Dashboard/Page/', import.meta.url);

export class StandIn {
  streams = new Set();
  /** Of everything asked: "GET /threads". */
  requests = [];
  posts = [];
  /** Another status than 200 refuses everything. */
  status = 200;
  allowActions = false;
  latest = null;
  /** The counts of the time before; null as of a server that keeps none. */
  history = null;
  #server = null;
  #waiting = [];

  async start(port = 0) {
    this.#server = createServer((request, response) => this.#answer(request, response).catch(error => response.destroy(error)));
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
    this.url = `http://127.0.0.1:${this.port}/threads`;
    return this;
  }

  /** Like a process that ends: no client gets another byte. */
  async stop() {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  endStreams() {
    for (const response of this.streams) response.end();
  }

  send(sample) {
    this.latest = sample;
    for (const response of this.streams) response.write(eventOf(sample));
  }

  /** Completes when so many streams are open; the test's deadline is the deadline. */
  async streamsAre(count) {
    while (this.streams.size !== count) await new Promise(resolve => this.#waiting.push(resolve));
  }

  #changed() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #answer(request, response) {
    const path = new URL(request.url, this.url).pathname;
    this.requests.push(`${request.method} ${path}`);
    if (this.status !== 200) return response.writeHead(this.status).end();
    if (request.method === 'POST') return this.#act(request, path, response);
    switch (path) {
      case '/threads': return response.writeHead(...await this.#head()).end(await this.#page());
      case '/threads/api/v1/snapshot': return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(this.latest));
      case '/threads/api/v1/history': return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(this.history));
      case '/threads/api/v1/stream': return this.#stream(request, response);
      default: return response.writeHead(404).end();
    }
  }

  #stream(request, response) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    if (this.latest !== null) response.write(eventOf(this.latest));
    this.streams.add(response);
    this.#changed();
    request.on('close', () => {
      this.streams.delete(response);
      this.#changed();
    });
  }

  #act(request, path, response) {
    this.posts.push(`${path} ${request.headers['x-nativethreading']}`);
    if (path.endsWith('/reset')) return response.writeHead(204).end();
    return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({
      version: 1,
      time: '2026-11-23T08:00:00.000Z',
      threads: [{ pool: 'a', name: '<b>a-worker-0</b>', state: 'blocked', item: { type: 'Shop.Reports', method: 'Render', running: 1530 }, waitsIn: 'pipe_read' }],
    }));
  }

  #nonce = '';

  async #head() {
    this.#nonce = randomBytes(16).toString('base64');
    return [200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; script-src 'nonce-${this.#nonce}'; style-src 'nonce-${this.#nonce}'; connect-src 'self'; `
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    }];
  }

  async #page() {
    const [template, style, script] = await Promise.all(['index.html', 'dashboard.css', 'dashboard.js'].map(name => readFile(new URL(name, page), 'utf8')));
    const values = { NONCE: this.#nonce, BASE: '/threads', ACTIONS: String(this.allowActions), STYLE: style, SCRIPT: script };
    return template.replace(/%(NONCE|BASE|ACTIONS|STYLE|SCRIPT)%/g, (_, name) => values[name]);
  }
}

function eventOf(sample) {
  return `event: sample\nid: ${sample.sequence}\ndata: ${JSON.stringify(sample)}\n\n`;
}
