// A sample as a process of its own, on a free port: the server itself, with pools that work.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const builtOf = name => fileURLToPath(new URL(`../../../samples/${name}/bin/Release/net10.0/${name}.dll`, import.meta.url));

export class SampleApp {
  #process = null;

  /** Starts it and waits until it listens; at an address that it had before, if one is given. */
  static async start(args = [], url = 'http://127.0.0.1:0', name = 'Dashboard') {
    const built = builtOf(name);
    assert.ok(existsSync(built), `Build it first: dotnet build -c Release samples/${name}`);
    const app = new SampleApp();
    app.#process = spawn('dotnet', [built, '--urls', url, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    // Also where a test run ends in the middle.
    const kill = () => app.#process.kill('SIGKILL');
    process.once('exit', kill);
    app.#process.once('exit', () => process.off('exit', kill));
    for await (const line of createInterface({ input: app.#process.stdout })) {
      app.password ??= /^user ops, password (\S+)$/.exec(line)?.[1];
      app.origin = /^ready (\S+)$/.exec(line)?.[1];
      if (app.origin) break;
    }
    assert.ok(app.origin, `It ended with ${app.#process.exitCode} before it listened.`);
    app.#process.stdout.resume();
    app.url = `${app.origin}/threads`;
    return app;
  }

  get id() {
    return this.#process.pid;
  }

  async stop() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}
