import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

/** The part of CycloneDX that is used here. */
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string; version: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  hashes?: { alg: string; content: string }[];
  properties: { name: string; value: string }[];
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Lists what is installed with a release, from the lock file alone, without a registry. Throws where a dependency is missing. */
export function makeSbom(): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const text = execFileSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sbom = withoutDevelopment(JSON.parse(text) as Sbom);
  // npm names the program after the folder that contains it.
  sbom.metadata.component.name = manifest.name;
  const missing = missingFrom(sbom);
  if (missing.length > 0) throw new Error(`The bill of materials lacks ${missing.join(', ')}`);
  return sbom;
}

/** Does not use npm's `--omit dev`: that leaves out what a development package needs, even where the program needs it as well. */
function withoutDevelopment(sbom: Sbom): Sbom {
  const isDevelopment = ({ properties }: Component): boolean =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');
  const left = new Set(sbom.components.filter(isDevelopment).map((one) => one['bom-ref']));
  return {
    ...sbom,
    components: sbom.components.filter((one) => !left.has(one['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => !left.has(ref))
      .map((one) => ({ ...one, dependsOn: one.dependsOn.filter((ref) => !left.has(ref)) })),
  };
}

/** Returns the dependencies of package.json, as `name@version`, that the bill lacks. */
export function missingFrom(sbom: Pick<Sbom, 'components'>): string[] {
  const named = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  return Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })
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
