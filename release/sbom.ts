import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import manifest from '../package.json' with { type: 'json' };
import { SHIPPED, withShippedLock } from './shipped.ts';

/** The part of CycloneDX that is used here. */
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string; version: string } };
  components: Component[];
}

interface Component {
  name: string;
  version: string;
  hashes?: { alg: string; content: string }[];
}

/** Lists what a release contains, from the lock file alone, without a registry. Throws where a package is missing. */
export function makeSbom(): Sbom {
  const text = withShippedLock((cwd) =>
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
      cwd,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const sbom = JSON.parse(text) as Sbom;
  // npm names the program after the folder that contains it.
  sbom.metadata.component.name = manifest.name;
  const missing = missingFrom(sbom);
  if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(', ')}`);
  return sbom;
}

/** Returns the packages that a release is made of, as `name@version`, that the bill lacks. */
export function missingFrom(sbom: Pick<Sbom, 'components'>): string[] {
  const named = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  return Object.entries(SHIPPED)
    .map(([name, version]) => `${name}@${version}`)
    .filter((one) => !named.has(one));
}

if (import.meta.main) {
  const sbom = makeSbom();
  const file = `dist/${manifest.name}-${manifest.version}.cdx.json`;
  mkdirSync(new URL('../dist/', import.meta.url), { recursive: true });
  writeFileSync(new URL(`../${file}`, import.meta.url), `${JSON.stringify(sbom, null, 2)}\n`);
  process.stdout.write(`${file}: ${sbom.components.length} packages\n`);
}
