// samples/Incident goes wrong in each of its ways, and the page says so in words. With NTH_IMAGES=1 the pictures of docs/images are made anew.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectionIs, deadline, launch, open, overflow } from './support/browser.mjs';
import { SampleApp } from './support/sample.mjs';

const ways = [
  ['block', 'limit-reached', /^reports: 12 of 12 threads blocked \(limit reached\), \d+ % in GET \/report/],
  ['sync-over-async', 'rescue', /^reports: .*blocked code probably waits for work of its own pool/],
  ['flood', 'queue-full', /^reports: .*queue full \(\d+ of 40\)/],
  ['slow-loop', 'long-turn', /^sessions-0: a turn took /],
  ['leak', 'limit-reached', /^mail: 12 of 12 threads blocked \(limit reached\), \d+ % in Incidents\.WaitForLostReply/],
];

const makesImages = process.env.NTH_IMAGES === '1';
const image = name => fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url));
const pause = seconds => new Promise(resolve => setTimeout(resolve, 1000 * seconds));

describe('An incident', { timeout: 15 * deadline }, () => {
  const limit = { timeout: 3 * deadline };
  let browser, app;

  before(async () => {
    browser = await launch();
    app = await SampleApp.start([], undefined, 'Incident');
  }, limit);
  after(() => Promise.all([browser?.close(), app?.stop()]), limit);

  const post = async path => assert.ok((await fetch(`${app.origin}/${path}`, { method: 'POST' })).ok, path);

  /** Each picture shows a calm minute and then one way alone. */
  async function calm() {
    if (!makesImages) return;
    await app.stop();
    app = await SampleApp.start([], undefined, 'Incident');
    await pause(30);
  }

  /** A picture is made when there is something to see on the charts. */
  async function take(page, name) {
    if (!makesImages) return;
    await page.mouse.move(0, 0);
    await page.screenshot({ path: image(name), clip: { x: 0, y: 0, ...page.viewportSize() } });
  }

  it('is not there in a calm application', limit, async () => {
    const view = await open(browser, app.url);
    await connectionIs(view.page, 'live');
    await view.page.locator('.pools', { hasText: 'reports' }).waitFor();
    if (makesImages) await pause(50);
    await view.page.locator('.verdicts').waitFor({ state: 'detached' }); // a start on a busy machine may have been one for a moment
    await take(view.page, 'dashboard-light');
    await view.isWell();
    await view.close();
  });

  for (const [way, condition, words] of ways) {
    it(`is said in words: ${way}`, limit, async () => {
      await calm();
      // The page has no viewer when the incident starts.
      await post(`incident/${way}`);
      if (makesImages) await pause(20);
      const view = await open(browser, app.url);
      const verdict = view.page.locator('.verdicts li p', { hasText: words }).first();
      await verdict.waitFor();
      await view.page.locator('.verdicts > ul > li', { hasText: words }).first().locator('summary').click();
      await view.page.locator('.verdicts code', { hasText: condition }).first().waitFor();
      await take(view.page, `incident-${way}`);
      if (way === 'block') await phone();
      await post('calm');
      if (way === 'block') {
        await verdict.waitFor({ state: 'detached' });
        await view.page.locator('.events li', { hasText: 'Over: ' }).first().waitFor({ state: 'attached' });
      }
      await view.close();
    });
  }

  it('is known afterwards where the page itself could not be served: starve-built-in-pool', limit, async () => {
    await calm();
    const words = /^built-in pool: \d+ items? waiting, threads grew from \d+ to \d+/;
    for (let seen = false, ended = 0; !seen;) {
      if (Date.now() > ended) { // again if the machine was too busy: then the runtime adds no thread
        await post('incident/starve-built-in-pool');
        ended = Date.now() + 15_000;
      }
      const answer = await fetch(`${app.url}/api/v1/history`); // takes as long as everything in this process
      seen = (await answer.json()).events.some(({ text }) => words.test(text));
    }
    await post('calm');
    const view = await open(browser, app.url);
    await view.page.getByText('What happened in the last 15 minutes').click();
    await view.page.locator('.events li', { hasText: /built-in pool: \d+ items? waiting/ }).first().waitFor();
    await take(view.page, 'incident-starve-built-in-pool');
    await view.close();
  });

  /** The verdict and the blocked threads come before the charts, and nothing is wider than the phone. */
  async function phone() {
    const view = await open(browser, app.url, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    const top = async place => (await view.page.locator(place).first().boundingBox()).y;
    await view.page.locator('#pool-1 .workers tr[data-state="blocked"]').first().waitFor();
    assert.ok(await top('.verdicts') < await top('#pool-1 .workers') && await top('#pool-1 .workers') < await top('#pool-1 .plot'));
    assert.equal(await overflow(view.page), 0);
    await take(view.page, 'dashboard-phone');
    await view.close();
  }
});
