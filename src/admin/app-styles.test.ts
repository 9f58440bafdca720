import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const MANTINE = join(ROOT, 'node_modules/@mantine/core');
const COMPONENTS = join(MANTINE, 'esm/components');

/** Imported by other components without being shown: by NativeSelect to read its choices, by Menu to know its items' groups. */
const NOT_SHOWN = ['Accordion', 'Combobox', 'Radio'];

/** The components that the admin app imports by name. */
function importedComponents(): Set<string> {
  const names = new Set<string>();
  for (const file of globSync('admin/src/**/*.{ts,tsx}', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, list] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)) {
      for (const name of list!.split(',')) names.add(name.trim());
    }
  }
  return names;
}

/** Returns the style sheets of a component and of the components it consists of. */
function sheetsOf(file: string, seen: Set<string>): string[] {
  if (seen.has(file) || !existsSync(file)) return [];
  seen.add(file);
  const name = file.slice(COMPONENTS.length + 1).split('/')[0]!;
  const own = existsSync(join(MANTINE, `styles/${name}.css`)) ? [name] : [];
  const text = readFileSync(file, 'utf8');
  const parts = [...text.matchAll(/from "(\.[^"]+\.mjs)"/g)].map(([, path]) => join(dirname(file), path!));
  return [...own, ...parts.filter((path) => path.startsWith(COMPONENTS)).flatMap((path) => sheetsOf(path, seen))];
}

test('the styles of each component of the admin app are loaded, and those of its parts', () => {
  const styles = readFileSync(join(ROOT, 'admin/src/ui/styles.ts'), 'utf8');
  const loaded = new Set([...styles.matchAll(/@mantine\/core\/styles\/(\w+)\.css/g)].map(([, name]) => name));
  const missing = [...importedComponents()].flatMap((name) =>
    sheetsOf(join(COMPONENTS, name, `${name}.mjs`), new Set())
      .filter((sheet) => !loaded.has(sheet) && (sheet === name || !NOT_SHOWN.includes(sheet)))
      .map((sheet) => `${name}: ${sheet}.css`),
  );
  expect([...new Set(missing)]).toEqual([]);
});
