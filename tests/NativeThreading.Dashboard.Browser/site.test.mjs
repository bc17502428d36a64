// The documentation's site, opened as files: it must be read and searched without a server. `dotnet cake --target=Site` makes it.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { deadline, launch, open } from './support/browser.mjs';

const site = fileURLToPath(new URL('../../artifacts/site/', import.meta.url));

describe('The site of the documentation', { timeout: 5 * deadline }, () => {
  const limit = { timeout: deadline };
  let browser, view;

  before(async () => {
    assert.ok(existsSync(`${site}/index.html`), 'Make the site first: dotnet cake --target=Site');
    browser = await launch();
  }, limit);
  after(() => browser?.close(), limit);
  afterEach(() => view?.close(), limit);

  async function visit(path) {
    view = await open(browser, pathToFileURL(site + path).href);
    return view.page;
  }

  async function find(page, words) {
    await page.locator('#search-query').fill(words);
    return page.locator('#site-results section a').first();
  }

  it('begins with the list of all pages', limit, async () => {
    const page = await visit('index.html');
    await page.waitForURL('**/docs/README.html');
    assert.equal(await page.locator('article h1').first().innerText(), 'Documentation');
    await view.isWell();
  });

  it('finds a guide by a word of its text, and leads to it', limit, async () => {
    const page = await visit('docs/README.html');
    await (await find(page, 'grafana')).waitFor();
    assert.match(await page.locator('#site-results').innerText(), /pages contain “grafana”/);
    const guide = await find(page, 'size a pool');
    assert.equal(await guide.innerText(), 'Size a pool');
    await guide.click();
    await page.waitForURL('**/docs/guides/size-a-pool.html');
    assert.equal(await page.locator('article h1').first().innerText(), 'Size a pool');
    await view.isWell();
  });

  it('finds a type of the API from a page in a folder, and leads to it', limit, async () => {
    const page = await visit('docs/guides/event-loops.html');
    await (await find(page, 'EventLoopTimer')).click();
    await page.waitForURL('**/api/NativeThreading.EventLoops.EventLoopTimer.html');
    assert.match(await page.locator('article').innerText(), /Arm\(TimeSpan/);
    await view.isWell();
  });

  it('says when no page has the words, and shows the page again when the search is emptied', limit, async () => {
    const page = await visit('docs/README.html');
    await page.locator('#search-query').fill('<b>nowhere</b>');
    assert.match(await page.locator('#site-results').innerText(), /^0 pages contain “<b>nowhere<\/b>”\./);
    await page.locator('#search-query').fill('');
    await page.locator('article').waitFor();
    await page.locator('#site-results').waitFor({ state: 'hidden' });
    await view.isWell();
  });

  it('has the menu of all pages on each page, without a request to elsewhere', limit, async () => {
    const page = await visit('docs/reference/options.html');
    await page.locator('#toc a', { hasText: 'Where code runs' }).first().click();
    await page.waitForURL('**/docs/reference/where-code-runs.html');
    assert.equal(await page.locator('#toc a[href$="guides/troubleshooting.html"]').count(), 1);
    assert.deepEqual(view.requests.filter(url => !url.startsWith('file:') && !url.startsWith('data:')), []);
    await view.isWell();
  });
});
