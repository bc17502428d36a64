// One browser for a file of tests, and pages that remember what went wrong in them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

/** No test takes longer, in milliseconds, however busy the machine is. */
export const deadline = 60_000;

const executable = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export async function launch() {
  assert.ok(executable, 'A Chromium is needed: apt-get install -y chromium, or its path in CHROMIUM.');
  return chromium.launch({
    executablePath: executable,
    // Its sandbox does not start for root, nor in most containers.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: deadline,
  });
}

/** Opens an address in a context of its own; `problems` collects errors, violations of the policy and requests to elsewhere.
 * With `clock` the page has a clock that the test can stop. */
export async function open(browser, url, { clock = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', timezoneId: 'UTC', ...options });
  context.setDefaultTimeout(deadline);
  const page = await context.newPage();
  const problems = [];
  const requests = [];
  page.on('console', message => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', error => problems.push(String(error)));
  page.on('request', request => requests.push(request.url()));
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', event => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
  });
  if (clock) await page.clock.install({ time: 0 });
  const response = await page.goto(url);
  return {
    page,
    response,
    problems,
    requests,
    close: () => context.close(),
    /** Nothing was written to the console, and the policy forbade nothing. */
    isWell: async () => {
      assert.deepEqual(problems, []);
      assert.deepEqual(await page.evaluate(() => window.violations), []);
    },
  };
}

/** Waits until the connection's state is as said. */
export function connectionIs(page, state) {
  return page.locator(`.connection[data-state="${state}"]`).waitFor();
}

/** How wide the page is beyond the window; 0 when nothing must be scrolled sideways. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Waits until the page shows a sample. */
export function shows(page, sequence) {
  return page.locator(`main[data-sequence="${sequence}"]`).waitFor({ state: 'attached' });
}

/** What is drawn on one of the charts, as text that can be compared. */
export function picture(page, chart) {
  return page.locator('.plot').nth(chart).locator('canvas').evaluate(canvas => canvas.toDataURL());
}
