// One line a test, what went wrong below it, and "N passed, M failed" as the last line, which .ci/run counts. A test that is skipped
// has failed: a machine that runs these tests has a browser.
import { inspect } from 'node:util';

export default async function* reporter(events) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const good = type === 'test:pass' && data.skip === undefined && data.todo === undefined;
    good ? passed++ : failed++;
    yield `${good ? 'passed' : 'FAILED'} ${String(Math.round(data.details.duration_ms)).padStart(6)} ms  ${data.name}\n`;
    if (!good) yield `${inspect(data.details.error?.cause ?? data.details.error ?? 'skipped')}\n`;
  }
  yield `${passed} passed, ${failed} failed\n`;
}
