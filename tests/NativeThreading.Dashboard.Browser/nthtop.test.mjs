// The tool nthtop with samples/Incident: for scripts, and in a pseudo-terminal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env } from 'node:process';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deadline } from './support/browser.mjs';
import { SampleApp } from './support/sample.mjs';

const tool = fileURLToPath(new URL('../../tools/nthtop/bin/Release/net10.0/nthtop.dll', import.meta.url));

describe('nthtop', { timeout: 5 * deadline }, () => {
  const limit = { timeout: deadline };
  let app;

  before(async () => { app = await SampleApp.start([], undefined, 'Incident'); }, limit);
  after(() => app?.stop(), limit);

  async function run(...args) {
    const process = spawn('dotnet', [tool, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...env, TERM: 'xterm-256color' } });
    let output = '';
    process.stdout.on('data', data => { output += data; });
    process.stderr.on('data', data => { output += data; });
    const [code] = await once(process, 'close');
    return { code, output };
  }

  it('says in a pseudo-terminal what is wrong, refreshed', limit, async () => {
    assert.ok((await fetch(`${app.origin}/incident/block`, { method: 'POST' })).ok);
    const terminal = spawn('script', ['-qec', `stty cols 160; exec dotnet ${tool} ${app.url}`, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let output = '';
    const words = /reports: 12 of 12 threads blocked \(limit reached\)/g;
    for await (const data of terminal.stdout) {
      output += data;
      if ((output.match(words) ?? []).length >= 2) break; // drawn again
    }
    terminal.kill('SIGKILL');
    assert.match(output, /\u001b\[/); // colours and movements of the cursor: it is a terminal
    assert.match(output, /\d+ × GET \/report/);
    assert.ok(output.includes(`limit-reached is explained at ${app.url}#condition-limit-reached`));
  });

  it('prints one sample for scripts, and its exit code says whether something is wrong', limit, async () => {
    let answer;
    do answer = await run(app.url, '--once', '--json'); while (answer.code === 0);
    assert.equal(answer.code, 1);
    assert.match(JSON.parse(answer.output).verdicts[0].text, /^reports: /);
    const table = await run(`${app.url}/`, '--once');
    assert.match(table.output, /Pool .*Threads .*p99 wait/);
    assert.doesNotMatch(table.output, /\u001b/); // a pipe gets plain text, whatever the terminal knows
  });

  it('reads the metrics of a process without its page: the same verdict and table, as far as they say', limit, async () => {
    let answer;
    do answer = await run(`${app.id}`, '--once', '--json'); while (answer.code === 0);
    assert.equal(answer.code, 1);
    const sample = JSON.parse(answer.output);
    const { text, conditions } = sample.verdicts[0];
    assert.match(text, /^reports: 12 of 12 threads blocked \(limit reached\)/);
    assert.deepEqual([conditions[0].id, conditions[0].remedy], ['limit-reached',
      'Make the blocking code asynchronous, or raise MaxBlockedThreads. Until then, new work waits until a blocked thread returns.']);
    const of = name => sample.pools.find(pool => pool.name === name);
    assert.deepEqual([of('reports').threads.blocked, of('reports').queue.oldest, of('mail').threads.blocked], [12, null, 0]);
    assert.ok(sample.process.id === app.id && sample.process.name === 'Incident' && sample.runtimePool.threads > 0);
  });

  it('refreshes a process in a pseudo-terminal, without colours where NO_COLOR is set, and ends with it', limit, async () => {
    const victim = await SampleApp.start([], undefined, 'Incident');
    const terminal = spawn('script', ['-qec', `stty cols 160; exec dotnet ${tool} ${victim.id}`, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...env, NO_COLOR: '1', TERM: 'xterm-256color' } });
    let output = '';
    for await (const data of terminal.stdout) {
      output += data;
      if ((output.match(/built-in pool/g) ?? []).length >= 2 && /All is well\./.test(output)) await victim.stop(); // right after a start on a busy machine it may not be
    }
    assert.match(output, /All is well\./);
    assert.match(output, /reports .*–/);
    assert.doesNotMatch(output, /\u001b\[(?:\d+;)*(?:[39][0-7]|38)[;m]/);
  });

  it('says what is wrong with its arguments, and with the address', limit, async () => {
    for (const args of [[], ['--once'], ['ftp://x'], ['12x'], [app.url, '--other']]) {
      const { code, output } = await run(...args);
      assert.equal(code, 2);
      assert.match(output, /^Usage: nthtop URL\|PID/);
    }
    const { code, output } = await run(`${app.origin}/nowhere`, '--once');
    assert.equal(code, 2);
    assert.match(output, /cannot be read: .*404/);
    const none = await run('999999999', '--once');
    assert.equal(none.code, 2);
    assert.match(none.output, /^Process 999999999 cannot be read: /);
  });
});
