// Makes ../dashboard.js, ../dashboard.css and ../THIRD-PARTY-NOTICES.txt, which are committed. With --check it writes nothing and
// fails where they are not what these sources make.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = new URL('./', import.meta.url);
const bundled = ['preact', 'uplot'];

const { outputFiles } = await build({
  absWorkingDir: fileURLToPath(here),
  entryPoints: { dashboard: 'src/main.tsx', style: 'src/style/dashboard.css' },
  outdir: 'out',
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { CONDITIONS: JSON.stringify(conditionsOf(await text('../../../../docs/reference/conditions.md'))) },
  legalComments: 'none',
  logLevel: 'warning',
});

const packages = await Promise.all(bundled.map(async name => ({
  name,
  version: JSON.parse(await text(`node_modules/${name}/package.json`)).version,
  license: (await text(`node_modules/${name}/LICENSE`)).trim(),
})));
const note = `Contains ${packages.map(({ name, version }) => `${name} ${version}`).join(' and ')}, MIT; see THIRD-PARTY-NOTICES.txt`;

const made = {
  'dashboard.js': `/* ${note} */\n${output('dashboard.js')}`,
  'dashboard.css': `/* ${note} */\n${output('style.css')}`,
  'THIRD-PARTY-NOTICES.txt': [
    'The page of NativeThreading.Dashboard contains the following packages.\n',
    ...packages.map(({ name, version, license }) => `${'-'.repeat(80)}\n${name} ${version}\n${'-'.repeat(80)}\n\n${license}\n`),
  ].join('\n'),
};

// Both are put into the page between their tags, and the page's placeholders are replaced by name.
for (const [name, content] of Object.entries(made)) {
  const unfit = /<\/(script|style)|<!--|%(NONCE|BASE|ACTIONS|STYLE|SCRIPT)%/i.exec(name.endsWith('.txt') ? '' : content);
  if (unfit) throw new Error(`${name} contains ${unfit[0]}`);
}

let stale = 0;
for (const [name, content] of Object.entries(made)) {
  const file = new URL(`../${name}`, here);
  if (!process.argv.includes('--check')) {
    await writeFile(file, content);
    console.log(`${name}: ${Buffer.byteLength(content)} bytes`);
  } else if (await readFile(file, 'utf8').catch(() => null) !== content) {
    console.error(`${name} is not what its sources make: run \`npm ci && npm run build\` in Page/source.`);
    stale++;
  }
}
process.exitCode = stale === 0 ? 0 : 1;

/** Each condition of the documentation with its paragraphs, as plain text. Code and links of a text become what they show. */
function conditionsOf(page) {
  const sections = page.split(/^## /m).slice(1).map(section => section.trim().split(/\n\n+/)).filter(([title]) => /^[a-z-]+$/.test(title));
  if (sections.length < 5) throw new Error('conditions.md has no sections.');
  return Object.fromEntries(sections.map(([id, ...paragraphs]) =>
    [id, paragraphs.map(each => each.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', ''))]));
}

function output(name) {
  return outputFiles.find(({ path }) => path.endsWith(`/${name}`) || path.endsWith(`\\${name}`)).text;
}

function text(path) {
  return readFile(new URL(path, here), 'utf8');
}
