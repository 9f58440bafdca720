import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The SDKs by the folder of the program that imports them: the package, then other entries of it that are imported. */
export const SDKS = {
  'commerce/payments/providers/stripe': ['stripe'],
  'commerce/payments/providers/mollie': ['@mollie/api-client'],
  'cli/mcp': ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
} as const;

const ENTRY = 'sdk';
/** node-fetch takes URL from Node where it can: the tables of this package would be half of Mollie's module. */
const WHATWG_URL = 'whatwg-url';

/**
 * Puts the SDKs into the compiled program, each as one module in the folder that imports it, which then imports it instead of the package:
 * `sdk.js`, with the licences of its packages in `sdk.licenses.txt`. Their packages are not installed with a release.
 * @param folder of the package
 */
export async function bundleSdks(folder: string): Promise<void> {
  for (const [home, entries] of Object.entries<readonly string[]>(SDKS)) {
    const place = join(folder, 'src', home);
    const packages = await bundle(entries, join(place, 'sdk.js'));
    writeFileSync(join(place, 'sdk.licenses.txt'), packages.map(licenseOf).join('\n\n'));
    const imported = new Set<string>();
    for (const file of globSync('**/*.js', { cwd: place, exclude: ['sdk.js'] })) {
      const text = readFileSync(join(place, file), 'utf8');
      const changed = text.replace(/(from |import\()'([^']+)'/g, (whole, before: string, name: string) => {
        if (!entries.includes(name)) return whole;
        imported.add(name);
        return `${before}'${relativeTo(file)}sdk.js'`;
      });
      if (changed !== text) writeFileSync(join(place, file), changed);
    }
    const unused = entries.filter((name) => !imported.has(name));
    if (unused.length > 0) throw new Error(`No module in ${place} imports ${unused.join(', ')}`);
  }
}

/** Bundles the entries of a package with the names that they export to Node. Returns the folders of all packages inside. */
async function bundle(entries: readonly string[], file: string): Promise<string[]> {
  const exported = await Promise.all(
    entries.map(async (name) => {
      const names = Object.keys((await import(name)) as object).filter((one) => /^[A-Za-z_$][\w$]*$/.test(one));
      return `export { ${names.join(', ')} } from ${JSON.stringify(fileURLToPath(import.meta.resolve(name)))};`;
    }),
  );
  const texts: Record<string, string> = {
    [`\0${ENTRY}`]: exported.join('\n'),
    [`\0${WHATWG_URL}`]: "export { URL } from 'node:url';",
  };
  const input = await rolldown({
    input: ENTRY,
    cwd: ROOT,
    platform: 'node',
    onLog(level, { message }) {
      if (level === 'warn') throw new Error(`${entries[0]} cannot be bundled: ${message}`);
    },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY || id === WHATWG_URL ? `\0${id}` : null),
        load: (id) => texts[id] ?? null,
      },
    ],
  });
  const { output } = await input.write({
    file,
    format: 'esm',
    codeSplitting: false,
    minify: { compress: false, mangle: false },
  });
  await input.close();
  const modules = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []));
  return [...new Set(modules.flatMap((id) => packageOf(id) ?? []))].sort();
}

/** Returns the folder of the package to which a module belongs; null for rolldown's own. */
function packageOf(id: string): string | null {
  const parts = id.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0) return null;
  return parts.slice(0, at + (parts[at + 1]!.startsWith('@') ? 3 : 2)).join(sep);
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

/** Some packages have no file with their licence, only its name. */
function licenseOf(place: string): string {
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license } = manifest;
  const [file] = globSync('{LICENSE,LICENCE,license,licence,COPYING,copying}*', { cwd: place });
  const text = file === undefined ? textOf(manifest) : readFileSync(join(place, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

function textOf({ name, license, author }: Manifest): string {
  const holder = typeof author === 'string' ? author : author?.name;
  if (license !== 'MIT' || holder === undefined) throw new Error(`The licence of ${name} is unknown`);
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
  const terms = own.slice(own.indexOf('Permission is hereby granted'));
  return `Copyright (c) ${holder}\n\n${terms}`;
}

function relativeTo(file: string): string {
  const up = dirname(file) === '.' ? [] : dirname(file).split(sep);
  return up.length === 0 ? './' : '../'.repeat(up.length);
}
