// What the page does with samples that are known, served by a stand-in for the server.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { connectionIs, deadline, launch, open, overflow, picture, shows } from './support/browser.mjs';
import { loop, pool, sample, shop, worker } from './support/samples.mjs';
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

  it('loads without errors or violations of its policy, and asks nobody else', limit, async () => {
    await visit(shop(1));
    await send(shop(2));
    await view.isWell();
    // On a machine so busy that ten seconds pass between two samples the page asks for a stream again.
    const different = all => [...new Set(all)];
    assert.deepEqual(different(view.requests.filter(url => !url.startsWith('data:'))), [server.url, `${server.url}/api/v1/stream`]);
    assert.deepEqual(different(server.requests), ['GET /threads', 'GET /threads/api/v1/stream']);
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
    const blocked = worker('reports-worker-7', 'blocked', { since: 1520, item: { type: 'Shop.Reports', method: 'Render', running: 1530 }, waitsIn: 'futex_wait_queue' });
    const page = await visit(sample(1, [pool(1, 'reports', { workers: [worker('reports-worker-0', 'running'), blocked] })]));
    assert.equal(
      await page.locator('.workers tbody tr').first().innerText().then(text => text.replaceAll(/\s+/g, ' ')),
      'reports-worker-7 Blocked for 1.5 s Shop.Reports.Render 1.5 s a lock, an event or a sleep, futex_wait_queue 400');
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
    for (let sequence = 1; sequence <= 60; sequence++) server.send(sample(sequence, [pool(1, 'a', { queue: { length: sequence, oldest: 1 } })]));
    await shows(page, 60);
    const queue = page.locator('.figure', { hasText: 'oldest waits' });
    await queue.getByText('60', { exact: true }).waitFor();
    const box = await queue.locator('.u-over').boundingBox();
    // A tenth of five minutes before the end.
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2);
    await queue.getByText('30', { exact: true }).waitFor();
    await page.getByText('charts show 08:00:30').waitFor();
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
    await last.locator('.workers tbody tr').nth(199).waitFor();
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

  it('keeps five minutes and no more', limit, async () => {
    const page = await visit();
    await page.setViewportSize({ width: 1280, height: 4000 });
    for (let sequence = 1; sequence <= 400; sequence++) server.send(sample(sequence, [pool(1, 'a', { replacements: 1 })]));
    await shows(page, 400);
    await page.getByText('300 in 5 min').waitFor();
    await page.locator('.values summary').click();
    const table = page.locator('.values tbody tr');
    await table.first().waitFor(); // it is filled once it is open
    const rows = await table.count();
    assert.ok(rows >= 30 && rows <= 32, `${rows}`);
  });

  it('forgets what the process no longer has', limit, async () => {
    const page = await visit(sample(1, [pool(1, 'a'), pool(2, 'b')]));
    await send(sample(2, [pool(2, 'b')]));
    assert.deepEqual(await page.locator('.pools .name').allInnerTexts(), ['b', 'The runtime\u2019s own pool']);
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
    assert.equal(server.requests.at(-1), 'GET /threads/api/v1/snapshot');
    server.status = 200;
    await page.getByRole('button', { name: 'Load again' }).click();
    await connectionIs(page, 'live');
    assert.equal(server.requests.length, asked + 2);
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
    // A headless browser shows all of its tabs: the page is told what a browser would tell it.
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
