/** The parts of package-lock.json that are used. */
export interface Lock {
  name: string;
  version: string;
  lockfileVersion: number;
  requires?: boolean;
  packages: Record<string, LockedPackage>;
}

export interface LockedPackage {
  version?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  peer?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  [other: string]: unknown;
}

/**
 * Returns the lock file of the published package: everything that its dependencies reach, at the versions of the repository's lock file.
 * Leaves out packages that are present only because a development package happens to satisfy an optional peer (typescript, 31 MB).
 * @throws Error where the lock file lacks a dependency
 */
export function lockOf(root: LockedPackage, { lockfileVersion, packages }: Lock): Lock {
  const reached = new Map<string, LockedPackage>();
  const waiting: { from: string; wanted: LockedPackage }[] = [{ from: '', wanted: root }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of needs(next.wanted)) {
      const path = resolve(packages, next.from, name);
      if (path === null) throw new Error(`package-lock.json lacks ${name}, which ${next.from || 'the package'} needs`);
      if (reached.has(path)) continue;
      const { dev: _dev, devOptional: _devOptional, ...kept } = packages[path]!;
      reached.set(path, kept);
      waiting.push({ from: path, wanted: kept });
    }
  }
  const sorted = [...reached].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    name: String(root.name),
    version: String(root.version),
    lockfileVersion,
    requires: true,
    packages: { '': root, ...Object.fromEntries(sorted) },
  };
}

function needs({
  dependencies,
  optionalDependencies,
  peerDependencies,
  peerDependenciesMeta,
}: LockedPackage): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])];
}

/** Returns where Node finds a package from the folder of another: the innermost node_modules that contains it. */
function resolve(packages: Lock['packages'], from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return null;
  }
}
