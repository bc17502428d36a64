// The page together with the server: samples/Dashboard, with pools and loops that work.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { connectionIs, deadline, launch, open, overflow } from './support/browser.mjs';
import { SampleApp } from './support/sample.mjs';
import { StandIn } from './support/server.mjs';

describe('The page with the server', { timeout: 5 * deadline }, () => {
  const limit = { timeout: deadline };
  let browser, app, view;

  before(async () => {
    browser = await launch();
    app = await SampleApp.start();
  }, limit);
  after(() => Promise.all([browser?.close(), app?.stop()]), limit);
  afterEach(() => view?.close(), limit);

  async function visit(url, options) {
    view = await open(browser, url, options);
    return view.page;
  }

  async function visitLive(url, options) {
    const page = await visit(url, options);
    await connectionIs(page, 'live');
    return page;
  }

  it('loads without errors or violations of its policy, and loads nothing from other hosts', limit, async () => {
    const page = await visitLive(app.url);
    assert.deepEqual(await page.locator('.pools .name').allInnerTexts(), ['reports', 'mail', 'The built-in pool']);
    await page.locator('main[data-sequence]:not([data-sequence="1"])').waitFor({ state: 'attached' });
    await view.isWell();
    for (const url of view.requests.filter(each => !each.startsWith('data:'))) assert.equal(new URL(url).origin, app.origin);
  });

  it('has the policy that the stand-in has', limit, async () => {
    const standIn = await new StandIn().start();
    const policies = await Promise.all([app.url, standIn.url].map(async url => (await fetch(url)).headers.get('content-security-policy')));
    await standIn.stop();
    assert.match(policies[0], /^default-src 'none'; script-src 'nonce-[^']{22,}'/);
    const [ours, other] = policies.map(policy => policy.replaceAll(/nonce-[^']+/g, 'nonce'));
    assert.equal(other, ours);
  });

  it('moves its charts under load', limit, async () => {
    const page = await visitLive(app.url);
    const charts = ['Threads', 'Items a second', 'Waits in the queue'];
    const plot = title => page.locator('#pool-1 .figure').filter({ has: page.locator('figcaption', { hasText: title }) }).locator('.plot');
    for (const title of charts) {
      const canvas = plot(title).locator('canvas');
      await canvas.waitFor();
      const old = await canvas.evaluate(element => element.toDataURL());
      await page.waitForFunction(([element, before]) => element.toDataURL() !== before, [await canvas.elementHandle(), old]);
    }
    // Work is done all the time: the rate is a number and not a dash.
    await page.locator('#pool-1 .figure', { hasText: 'Items a second' }).locator('.legend b', { hasText: /^[1-9]/ }).waitFor();
    await page.locator('#loop-1').getByText(/[1-9]\d* timers armed/).waitFor();
  });

  it('shows a blocked worker with its method within two seconds', limit, async () => {
    const quiet = await SampleApp.start(['--quiet']);
    try {
      const page = await visitLive(quiet.url);
      const blocked = page.locator('#pool-1 .workers tr[data-state="blocked"]');
      assert.equal(await blocked.count(), 0);
      const times = [];
      // The next sample shows it, a second later at most. Once in three is enough, so that a moment's load elsewhere is no failure.
      for (let attempt = 1; attempt <= 3 && !(Math.min(...times) <= 2_000); attempt++) {
        const began = performance.now();
        const answer = await fetch(`${quiet.origin}/block?seconds=20`, { method: 'POST' });
        assert.ok(answer.ok);
        await blocked.filter({ hasText: 'Reports.WaitForSupplier' }).nth(attempt - 1).waitFor();
        times.push(performance.now() - began);
      }
      console.log(`blocked worker shown after ${times.map(time => Math.round(time)).join(', ')} ms`);
      assert.ok(Math.min(...times) <= 2_000, `${times}`);
    } finally {
      await quiet.stop();
    }
  });

  it('fits a phone, in the dark', limit, async () => {
    const page = await visitLive(app.url, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.locator('#loop-1 .plot').first().waitFor();
    assert.equal(await overflow(page), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(18, 22, 27)');
    await view.isWell();
  });

  it('connects again after the server was killed and started at the same address', limit, async () => {
    const first = await SampleApp.start(['--quiet']);
    const page = await visitLive(first.url);
    await page.getByText(`process ${first.id} `).waitFor();
    await first.stop();
    await connectionIs(page, 'lost');
    const second = await SampleApp.start(['--quiet'], first.origin);
    try {
      await connectionIs(page, 'live');
      await page.getByText(`process ${second.id} `).waitFor();
    } finally {
      await second.stop();
    }
  });

  it('ends its stream while paused, and then continues', limit, async () => {
    const page = await visitLive(app.url);
    const ended = page.waitForEvent('requestfailed', request => request.url().endsWith('/stream'));
    await page.getByRole('button', { name: 'Pause' }).click();
    await ended;
    await connectionIs(page, 'paused');
    const started = page.waitForRequest(request => request.url().endsWith('/stream'));
    await page.getByRole('button', { name: 'Resume' }).click();
    await started;
    await connectionIs(page, 'live');
    await view.isWell();
  });

  it('does what its actions say', limit, async () => {
    const page = await visitLive(app.url);
    await page.getByRole('button', { name: 'List threads' }).click();
    await page.locator('dialog pre', { hasText: /reports-worker-\d+, / }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Reset histograms' }).click();
    await page.getByText('Histograms begin anew.').waitFor();
    await view.isWell();
  });

  it('refuses who is not authorized, the page as well as what it asks for', limit, async () => {
    const guarded = await SampleApp.start(['--authorize']);
    try {
      for (const [method, path] of [['GET', ''], ['GET', '/api/v1/snapshot'], ['GET', '/api/v1/stream'], ['POST', '/api/v1/stacks'], ['POST', '/api/v1/reset']]) {
        const answer = await fetch(guarded.url + path, { method, headers: { 'X-NativeThreading': '1' } });
        assert.equal(answer.status, 401, path);
        assert.equal(await answer.text(), '');
      }
      await visitLive(guarded.url, { httpCredentials: { username: 'ops', password: guarded.password } });
      await view.isWell();
    } finally {
      await guarded.stop();
    }
  });
});
