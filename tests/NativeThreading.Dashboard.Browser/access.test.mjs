// Whether everybody can use the page: by keyboard, with a screen reader, without motion.
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
      'The built-in pool 6 threads', 'io event loop',
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

  it('speaks seldom: not at each sample, and of blocked threads once they stay', limit, async () => {
    const blocked = (sequence, count) =>
      sample(sequence, [pool(1, 'a', { threads: { running: 0, blocked: count, parked: 0, reserve: 0, longRunning: 0 } })]);
    const page = await visit(blocked(1, 0));
    await page.evaluate(() => {
      window.spoken = [];
      for (const region of document.querySelectorAll('[role="status"]')) {
        new MutationObserver(() => window.spoken.push(region.innerText)).observe(region, { childList: true, characterData: true, subtree: true });
      }
    });
    // The page's clock goes when it is told to.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1_000);
    const send = async (sequence, count) => {
      server.send(blocked(sequence, count));
      await shows(page, sequence);
      await page.clock.runFor(1_000);
    };
    for (let sequence = 2; sequence <= 11; sequence++) await send(sequence, sequence % 2);
    for (let sequence = 12; sequence <= 20; sequence++) await send(sequence, 3);
    for (let sequence = 21; sequence <= 25; sequence++) await send(sequence, 0);
    const spoken = await page.evaluate(() => window.spoken);
    assert.deepEqual(spoken.filter(text => text !== 'Live.'), ['3 threads blocked.', 'No thread is blocked any more.']);
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
