// What the page does with samples that are known, served by a stand-in for the server.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { connectionIs, deadline, launch, open, overflow, picture, shows } from './support/browser.mjs';
import { historyOf, loop, pool, sample, shop, verdict, worker } from './support/samples.mjs';
import { StandIn } from './support/server.mjs';

describe('The page', { timeout: 5 * deadline }, () => {
  const limit = { timeout: deadline };
  let browser, server, view;

  before(async () => { browser = await launch(); }, limit);
  after(() => browser.close(), limit);
  beforeEach(async () => { server = await new StandIn().start(); }, limit);
  afterEach(async () => {
    await view?.close();
    await server.stop();
  }, limit);

  async function visit(first, options) {
    server.latest = first ?? null;
    view = await open(browser, server.url, options);
    await server.streamsAre(1);
    if (first) await shows(view.page, first.sequence);
    return view.page;
  }

  async function send(next) {
    server.send(next);
    await shows(view.page, next.sequence);
  }

  it('loads without errors or violations of its policy, and loads nothing from other hosts', limit, async () => {
    await visit(shop(1));
    await send(shop(2));
    await view.isWell();
    // On a machine so busy that ten seconds pass between two samples the page asks for a stream again.
    const different = all => [...new Set(all)];
    assert.deepEqual(different(view.requests.filter(url => !url.startsWith('data:'))), [server.url, `${server.url}/api/v1/stream`, `${server.url}/api/v1/history`]);
    assert.deepEqual(different(server.requests), ['GET /threads', 'GET /threads/api/v1/stream', 'GET /threads/api/v1/history']);
  });

  it('moves every chart with the samples', limit, async () => {
    const page = await visit(shop(1));
    const charts = 4 + 4 + 3 + 3;
    await page.waitForFunction(count => document.querySelectorAll('.plot').length === count, charts);
    const before = [];
    for (let each = 0; each < charts; each++) before.push(await picture(page, each));
    for (let sequence = 2; sequence <= 30; sequence++) server.send(shop(sequence));
    await shows(page, 30);
    for (let each = 0; each < charts; each++) {
      await page.locator('.plot').nth(each).scrollIntoViewIfNeeded();
      await page.waitForFunction(([index, old]) => document.querySelectorAll('.plot')[index].querySelector('canvas').toDataURL() !== old, [each, before[each]]);
    }
  });

  it('shows a blocked worker first, with its method and what it waits in', limit, async () => {
    const blocked = worker('reports-worker-7', 'blocked', { since: 1520, atLeast: true, item: { type: 'Shop.Reports', method: 'Render', running: 1530 }, waitsIn: 'futex_wait_queue' });
    const page = await visit(sample(1, [pool(1, 'reports', { workers: [worker('reports-worker-0', 'running'), blocked] })]));
    assert.equal(
      await page.locator('.workers tbody tr').first().innerText().then(text => text.replaceAll(/\s+/g, ' ')),
      'reports-worker-7 Blocked for at least 1.5 s Shop.Reports.Render 1.5 s a lock, an event or a sleep, futex_wait_queue 400');
  });

  it('says on top what is wrong, the worst first, and what to do about it', limit, async () => {
    const words = '24 of 24 threads blocked (limit reached), 100 % in GET /report, queue full (200 of 200), 560 items a second rejected';
    const page = await visit(sample(5, [pool(1, 'orders'), pool(2, 'reports')], { verdicts: [verdict(2, 'reports', words)] }));
    const first = page.locator('main > *').first();
    assert.equal((await first.locator('p').innerText()).replaceAll(/\s+/g, ' '), `reports: ${words}, since 07:59:55 (10 s)`);
    await first.locator('summary').click();
    await first.getByText('Make the blocking code asynchronous, or raise MaxBlockedThreads.').waitFor();
    // The sick pool comes first and is open, the healthy one is small.
    assert.deepEqual(await page.locator('.pools tbody .name').allInnerTexts(), ['reports', 'orders', 'The built-in pool']);
    assert.deepEqual(await page.locator('[aria-expanded]').evaluateAll(all => all.map(each => `${each.innerText.split(/\s/)[0]} ${each.ariaExpanded}`)), ['reports true', 'orders false', 'The false']);
    await send(sample(6, [pool(1, 'orders'), pool(2, 'reports')]));
    assert.equal(await page.locator('.verdicts').count(), 0);
    // A sick loop comes before healthy pools.
    await send(sample(7, [pool(1, 'orders')], { loops: [loop(1, 'io'), loop(4, 'sessions')], verdicts: [verdict(4, 'sessions', 'a turn took 600 ms', { subjectId: 'loop-4' })] }));
    assert.deepEqual(await page.locator('[aria-expanded] .title').allInnerTexts(), ['sessions', 'orders', 'The built-in pool', 'io']);
    await view.isWell();
  });

  it('leads from each condition to what it means, without any other address', limit, async () => {
    const page = await visit(sample(5, [pool(2, 'reports')], { verdicts: [verdict(2, 'reports', '24 of 24 threads blocked (limit reached)')] }));
    const meaning = page.getByText('The pool has as many threads as its limits allow, and all of them are blocked.');
    assert.equal(await meaning.isVisible(), false);
    await page.locator('.verdicts summary').click();
    await page.getByRole('link', { name: 'limit-reached' }).click();
    await meaning.waitFor();
    // The browser opens the text first, and scrolls to it in a later frame.
    await page.waitForFunction(() => { const { top } = document.getElementById('condition-limit-reached').getBoundingClientRect(); return top >= 0 && top < innerHeight; });
    await send(sample(6, [pool(2, 'reports')])); // it stays open
    assert.ok(await meaning.isVisible());
    // All conditions of the documentation are there; a link in a message leads to one of them.
    assert.deepEqual(await page.locator('.meanings dt').allInnerTexts(), [
      'limit-reached', 'starvation', 'rescue', 'built-in-pool-starving', 'queue-full', 'expired-item', 'old-item', 'long-turn', 'lost-wake',
    ]);
    await view.isWell();
    await view.close();
    view = await open(browser, `${server.url}#condition-lost-wake`);
    await view.page.getByText('An item waited although a thread was idle, because the thread was not woken.').waitFor();
    await view.page.waitForFunction(() => document.getElementById('condition-lost-wake').getBoundingClientRect().bottom <= innerHeight);
  });

  it('shows threads that do the same as one row, which opens', limit, async () => {
    const stuck = Array.from({ length: 13 }, (_, index) => worker(`reports-worker-${index}`, 'blocked', {
      since: 1200 + 250 * index, item: { name: 'GET /report', type: 'Program', method: 'Main', running: 1300 + 250 * index }, waitsIn: 'futex_do_wait',
    }));
    const page = await visit(sample(1, [pool(1, 'reports', { workers: [worker('reports-worker-13', 'parked'), ...stuck] })]));
    const rows = page.locator('.workers tbody tr');
    assert.equal((await rows.first().innerText()).replaceAll(/\s+/g, ' '), '13 threads Blocked up to 4.2 s 13 \u00d7 GET /report up to 4.3 s a lock, an event or a sleep, futex_do_wait 5,200');
    assert.equal(await rows.count(), 2);
    await page.getByRole('button', { name: '13 threads' }).click();
    assert.equal(await rows.count(), 15);
    assert.equal((await rows.nth(1).innerText()).replaceAll(/\s+/g, ' '), 'reports-worker-12 Blocked for 4.2 s GET /report Program.Main 4.3 s a lock, an event or a sleep, futex_do_wait 400');
  });

  it('says why a name is missing, and which command has the stacks', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'reports', { workers: [worker('reports-worker-0', 'blocked')] })]));
    await page.getByText('not recorded: queued before a page was open').waitFor();
    await page.locator('.command code', { hasText: /^dotnet-stack report -p 1234$/ }).waitFor();
    await page.getByRole('button', { name: 'Copy' }).waitFor();
  });

  it('says which process this is', limit, async () => {
    const page = await visit(sample(1, [], { process: { ...sample(1, []).process, pod: 'shop-5d9', quota: 0.5, core: 'managed' } }));
    await page.getByText('process 1234 \u00b7 0.37 of 8 processors in use \u00b7 quota 0.5 \u00b7 pod shop-5d9 \u00b7 version 3.1.0 \u00b7 up 2 h 2 min \u00b7 NativeThreading 0.1.0 \u00b7 managed core').waitFor();
  });

  it('has full charts when it opens, from what the server remembers', limit, async () => {
    server.history = historyOf(300, sample(301, []));
    const page = await visit(sample(301, [pool(1, 'a', { queue: { length: 7, oldest: 3 } })]));
    await page.getByText('What happened in the last 15 minutes').click();
    await page.getByText('a: queue full (7 of 7)').waitFor();
    await page.getByText('299 in 5 min').waitFor(); // replacements; the last second has none
    await page.locator('#pool-1 .values summary').click();
    await page.locator('#pool-1 .values tbody tr').nth(29).waitFor();
    await page.locator('#pool-1 .values tbody tr', { hasText: '08:00:09' }).getByText('12').first().waitFor();
    await view.isWell();
  });

  it('opens a saved incident without the server, and goes back to what is live', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'healthy')]));
    const link = page.getByRole('link', { name: 'Save incident' });
    assert.equal(await link.getAttribute('href'), '/threads/api/v1/incident.json');
    const words = '2 of 2 threads blocked (limit reached)';
    const saved = sample(200, [pool(3, 'stuck', { workers: [worker('stuck-worker-0', 'blocked')] })], { verdicts: [verdict(3, 'stuck', words)] });
    const file = content => ({ name: 'incident.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    const { port } = server;
    await server.stop(); // offline
    const input = page.locator('input[type=file]');
    await input.setInputFiles(file('{"kind":"other"}'));
    await page.getByText('This file is not an incident of NativeThreading.').waitFor();
    await input.setInputFiles(file('not json'));
    await page.getByText('This file is not JSON.').waitFor();
    await input.setInputFiles(file(JSON.stringify({ kind: 'NativeThreading incident', version: 1, sample: saved, history: { ...historyOf(120, saved), pools: [] } })));
    await connectionIs(page, 'saved');
    await page.locator('.verdicts').getByText(words).waitFor();
    await page.locator('#pool-3 .workers').getByText('stuck-worker-0').waitFor();
    await page.getByText('at 2026-11-23 08:03:20').waitFor();
    server = new StandIn();
    server.latest = sample(60, [pool(1, 'healthy')]);
    await server.start(port);
    await page.getByRole('button', { name: 'Back to live' }).click();
    await connectionIs(page, 'live');
    assert.equal(await page.locator('#pool-3').count(), 0);
  });

  it('shows what is not known as such', limit, async () => {
    const nothing = { p50: null, p99: null, p999: null, bounds: [1, 2], counts: [0, 0, 0] };
    await visit(sample(1, [
      pool(1, 'a', { perSecond: null, maxBlockedThreads: null, latency: nothing, workers: [worker('w', 'some new state', { since: null, item: { type: 'T', method: 'M', running: null }, completed: null })] }),
    ], {
      runtimePool: { threads: 0, pending: 0, completed: 0, perSecond: null },
      process: { name: 'Shop', id: 1, processors: 1, cpu: null },
      loops: [loop(1, 'io', { turnsPerSecond: null, longestTurn: null, busy: null, timers: null, descriptors: null })],
    }));
    await send(sample(2, []));
    await view.page.getByText('This process has no pools').waitFor();
    await view.isWell();
  });

  it('shows names as text, whatever is in them', limit, async () => {
    const name = '<img src=x onerror="document.title=1">&amp;"\'</script>';
    const page = await visit(sample(1, [pool(1, name, { workers: [worker(name, 'blocked', { item: { type: name, method: name, running: 1 }, waitsIn: name })] })], {
      loops: [loop(1, name)],
      process: { name, id: 1, processors: 1, cpu: 0 },
    }));
    assert.equal(await page.locator('#pool-1 .title').innerText(), name);
    assert.equal(await page.locator('img').count(), 0);
    await view.isWell();
  });

  it('shows the values at the pointer', limit, async () => {
    const page = await visit();
    const at = seconds => new Date(Date.UTC(2026, 10, 23, 8, 0, seconds)).toISOString();
    for (let sequence = 1; sequence <= 60; sequence++) {
      server.send(sample(sequence, [pool(1, 'a', { queue: { length: sequence, oldest: 1 } })], { time: at(15 * sequence), interval: 15_000 }));
    }
    await shows(page, 60);
    const queue = page.locator('.figure', { hasText: 'oldest waits' });
    await queue.getByText('60', { exact: true }).waitFor();
    const box = await queue.locator('.u-over').boundingBox();
    // Half of fifteen minutes before the end.
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    await queue.getByText('30', { exact: true }).waitFor();
    await page.getByText('charts show 08:07:30').waitFor();
    await page.mouse.move(2, 2);
    await queue.getByText('60', { exact: true }).waitFor();
  });

  it('follows a change to dark and back', limit, async () => {
    const page = await visit(shop(100));
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await picture(page, 0);
    assert.equal(await back(), 'rgb(244, 245, 247)');
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.equal(await back(), 'rgb(18, 22, 27)');
    await page.waitForFunction(old => document.querySelector('.plot canvas').toDataURL() !== old, light);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForFunction(old => document.querySelector('.plot canvas').toDataURL() === old, light);
    await view.isWell();
  });

  it('fits a phone, with long names too', limit, async () => {
    const long = 'AVeryLongNameWithoutAnyPlaceToBreakIt'.repeat(5);
    const page = await visit(sample(1, [
      ...shop(120).pools,
      pool(9, long, { workers: [worker(long, 'blocked', { item: { type: long, method: long, running: 1 }, waitsIn: long })] }),
    ], { process: { name: long, id: 1, processors: 1, cpu: 0 }, loops: [loop(1, long)] }), { viewport: { width: 360, height: 740 } });
    assert.equal(await overflow(page), 0);
    await page.locator('.values summary').first().click();
    await page.locator('.values table').waitFor();
    assert.equal(await overflow(page), 0);
    await page.setViewportSize({ width: 320, height: 740 });
    assert.equal(await overflow(page), 0);
  });

  it('stays usable with twenty pools and two hundred workers', limit, async () => {
    const crowd = sequence => sample(sequence, Array.from({ length: 20 }, (_, index) => pool(index + 1, `pool-${index + 1}`, {
      completed: sequence,
      workers: Array.from({ length: 200 }, (_, each) => worker(`thread-${each}`, 'running', { completed: sequence })),
    })));
    const page = await visit(crowd(1));
    assert.equal(await page.locator('.pools tbody tr').count(), 21);
    assert.equal(await page.locator('.plot').count(), 0);
    await page.getByRole('link', { name: 'pool-20' }).click();
    const last = page.locator('#pool-20');
    await last.getByRole('button', { name: '200 threads' }).click();
    await last.locator('.workers tbody tr').nth(200).waitFor();
    await page.getByRole('button', { name: 'pool-1 ', exact: false }).first().click();
    const first = page.locator('#pool-1');
    await first.getByText('1 item done').waitFor();

    // Out of sight nothing is drawn; in sight again it is up to date.
    await last.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector('#pool-1').getBoundingClientRect().bottom < -500);
    await last.getByText('1 item done').waitFor();
    // The page learns with some later frame that the pool is out of sight.
    let sequence = 1, behind = 0;
    while (behind < 3 && sequence < 60) {
      await send(crowd(++sequence));
      behind = sequence - Number(/(\d+) items? done/.exec(await first.innerText())[1]);
    }
    assert.ok(behind >= 3, 'what is out of sight is drawn all the same');
    await last.getByText(`${sequence} items done`).waitFor();
    await first.scrollIntoViewIfNeeded();
    await send(crowd(++sequence));
    await first.getByText(`${sequence} items done`).waitFor();
    await view.isWell();
  });

  it('keeps fifteen minutes and no more, and counts events over five', limit, async () => {
    const page = await visit();
    await page.setViewportSize({ width: 1280, height: 4000 });
    for (let sequence = 1; sequence <= 1000; sequence++) server.send(sample(sequence, [pool(1, 'a', { replacements: 1 })]));
    await shows(page, 1000);
    await page.getByText('300 in 5 min').waitFor();
    await page.locator('.values summary').click();
    const table = page.locator('.values tbody tr');
    await table.first().waitFor(); // it is filled once it is open
    const rows = await table.count();
    assert.ok(rows >= 90 && rows <= 92, `${rows}`);
  });

  it('forgets what the process no longer has', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'a'), pool(2, 'b')]));
    await send(sample(2, [pool(2, 'b')]));
    assert.deepEqual(await page.locator('.pools .name').allInnerTexts(), ['b', 'The built-in pool']);
    assert.equal(await page.locator('#pool-1').count(), 0);
  });

  it('connects again after a restart at the same address', limit, async () => {
    const page = await visit(sample(7, [pool(1, 'before')]));
    await connectionIs(page, 'live');
    const { port } = server;
    await server.stop();
    await connectionIs(page, 'lost');
    server = new StandIn();
    server.latest = sample(60, [pool(1, 'after')]);
    await server.start(port);
    await connectionIs(page, 'live');
    await shows(page, 60);
    assert.equal(await page.locator('#pool-1 .title').innerText(), 'after');
  });

  it('says when access is refused, and does not ask on', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'a')]));
    server.status = 403;
    server.endStreams();
    await connectionIs(page, 'refused');
    await page.getByRole('button', { name: 'Load again' }).waitFor();
    const asked = server.requests.length;
    assert.equal(server.requests.filter(request => request !== 'GET /threads/api/v1/history').at(-1), 'GET /threads/api/v1/snapshot');
    server.status = 200;
    await page.getByRole('button', { name: 'Load again' }).click();
    await connectionIs(page, 'live');
    assert.deepEqual(server.requests.slice(asked).filter(request => !request.endsWith('history')), ['GET /threads', 'GET /threads/api/v1/stream']);
  });

  it('closes its stream while paused', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'a')]));
    await page.getByRole('button', { name: 'Pause' }).click();
    await server.streamsAre(0);
    await connectionIs(page, 'paused');
    server.latest = sample(2, [pool(1, 'a')]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await server.streamsAre(1);
    await shows(page, 2);
  });

  it('closes its stream while hidden, and when it is left', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'a')]));
    // A headless browser shows all of its tabs, so the test sends the event that a browser would send.
    const become = state => page.evaluate(next => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => next });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
    await become('hidden');
    await page.locator('.connection[data-state="hidden"]').waitFor();
    await server.streamsAre(0);
    await become('visible');
    await server.streamsAre(1);
    await page.goto('about:blank');
    await server.streamsAre(0);
  });

  it('offers actions where they are allowed, and only there', limit, async () => {
    let page = await visit(sample(1, [pool(1, 'a')]));
    assert.equal(await page.locator('.actions').count(), 0);
    await view.close();

    server.allowActions = true;
    page = (view = await open(browser, server.url)).page;
    await page.getByRole('button', { name: 'List threads' }).click();
    await page.getByRole('dialog').getByText('<b>a-worker-0</b>, blocked, Shop.Reports.Render for 1.5 s, waits in pipe_read').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset histograms' }).click();
    await page.getByText('Histograms begin anew.').waitFor();
    assert.deepEqual(server.posts, ['/threads/api/v1/stacks 1', '/threads/api/v1/reset 1']);
    await view.isWell();
  });
});
