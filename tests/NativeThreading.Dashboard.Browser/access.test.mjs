// Whether all users can use the page: by keyboard, with a screen reader, without motion.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { deadline, launch, open, shows } from './support/browser.mjs';
import { pool, sample, shop, verdict } from './support/samples.mjs';
import { StandIn } from './support/server.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('The page is accessible', { timeout: 5 * deadline }, () => {
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
    server.latest = first;
    view = await open(browser, server.url, options);
    await shows(view.page, first.sequence);
    return view.page;
  }

  for (const [name, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: { width: 360, height: 740 } }],
  ]) {
    it(`by the rules of axe: ${name}`, limit, async () => {
      server.allowActions = true;
      const page = await visit({ ...shop(120), verdicts: [verdict(2, 'reports', '6 of 6 threads blocked')] }, options);
      await page.locator('.verdicts summary').click();
      await page.locator('.values summary').first().click();
      await page.locator('.meanings summary').click();
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).slice(0, 3).join(' ')}`), []);
      assert.ok(passes.length > 20);
    });
  }

  it('by keyboard: every control is reached in order, seen when reached, and works', limit, async () => {
    const page = await visit(shop(1));
    const reached = [];
    for (let step = 0; step < 20; step++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: element } = document;
        return element === document.body ? null : {
          name: (element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent).trim(),
          visible: getComputedStyle(element.closest('label') ?? element).outlineStyle !== 'none' && element.getBoundingClientRect().top >= 0,
        };
      });
      if (focused === null) break;
      assert.ok(focused.visible, `${focused.name} has the focus and does not show it`);
      reached.push(focused.name);
    }
    assert.deepEqual(reached, [
      'Skip to the pools', 'Pause', 'Save incident', 'Open incident', 'orders', 'reports', 'The built-in pool',
      'orders running', '4 threads', '4 threads', 'The charts of orders as a table',
      'reports running', '2 threads', '2 threads', 'The charts of reports as a table',
      'The built-in pool 6 threads', 'io event loop', 'What each condition means',
    ]);

    const heading = page.getByRole('button', { name: 'reports running' });
    await heading.focus();
    await page.keyboard.press('Enter');
    assert.equal(await heading.getAttribute('aria-expanded'), 'false');
    assert.equal(await page.locator('#pool-2 .body').isVisible(), false);
    await page.keyboard.press('Space');
    assert.equal(await heading.getAttribute('aria-expanded'), 'true');
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await server.streamsAre(0);
  });

  it('by ear: landmarks, headings, tables and charts have names', limit, async () => {
    const page = await visit(shop(120));
    for (const role of ['banner', 'main']) assert.equal(await page.getByRole(role).count(), 1, role);
    assert.deepEqual(await page.getByRole('heading').allTextContents(),
      ['Threads of Shop', 'All pools', 'orders running', 'reports running', 'The built-in pool 6 threads', 'io event loop']);
    await page.getByRole('table', { name: 'Pools as they are now' }).waitFor();
    await page.getByRole('table', { name: 'Threads of reports' }).waitFor();
    await page.getByRole('img', { name: /^Threads of reports by state .* Now: 6 blocked, \d running/ }).waitFor();
    assert.equal(await page.locator('.plot:not([aria-label])').count(), 0);
  });

  /** Sends a sample a second of the page's clock. Returns what was spoken of them. */
  async function listen(first, rest) {
    const page = await visit(first, { clock: true }); // from the start: a timer of the real clock could fire at any later moment
    await page.evaluate(() => {
      window.spoken = [];
      for (const region of document.querySelectorAll('[role="status"]')) {
        new MutationObserver(() => window.spoken.push(region.innerText)).observe(region, { childList: true, characterData: true, subtree: true });
      }
    });
    // From now on the test moves the page's clock. The timers of the first sample have fired.
    await page.clock.pauseAt(await page.evaluate(() => Date.now()) + 3_500);
    for (const each of rest) {
      server.send(each);
      await shows(page, each.sequence);
      await page.clock.runFor(1_000);
    }
    return (await page.evaluate(() => window.spoken)).filter(text => text !== 'Live.');
  }

  const blocked = (sequence, count, more) =>
    sample(sequence, [pool(1, 'a', { threads: { running: 0, blocked: count, parked: 0, reserve: 0, longRunning: 0 } })], more);
  const each = (from, to, make) => Array.from({ length: to - from + 1 }, (_, index) => make(from + index));

  it('speaks seldom: not at each sample, and of blocked threads once they stay', limit, async () => {
    assert.deepEqual(await listen(blocked(1, 0), [
      ...each(2, 11, sequence => blocked(sequence, sequence % 2)),
      ...each(12, 20, sequence => blocked(sequence, 3)),
      ...each(21, 25, sequence => blocked(sequence, 0)),
    ]), ['3 threads blocked.', 'No thread is blocked any more.']);
  });

  it('speaks of what is wrong once, and when all is well again', limit, async () => {
    const wrong = (sequence, words) => blocked(sequence, sequence % 5, { verdicts: [verdict(1, 'a', words)] });
    assert.deepEqual(await listen(blocked(1, 0), [
      ...each(2, 9, sequence => wrong(sequence, `12 of 12 threads blocked, ${sequence} items waiting`)),
      ...each(10, 14, sequence => blocked(sequence, 0)),
    ]), [`a: 12 of 12 threads blocked, 5 items waiting.`, 'All is well again.']);
  });

  it('moves nothing by itself where less motion is wanted', limit, async () => {
    const page = await visit(shop(1), { reducedMotion: 'reduce' });
    const scrolling = () => page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior);
    assert.equal(await scrolling(), 'auto');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.equal(await scrolling(), 'smooth');
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });
});
