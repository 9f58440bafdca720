import type { Import } from './sources.ts';

/** The project's own files and what each of them imports, types included. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Builds the graph among the files: packages and files that are not in the list are left out. */
export function importGraph(sources: readonly { path: string; imports: readonly Import[] }[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map(({ path, imports }) => [
      path,
      [...new Set(imports.map(({ target }) => target))].filter((target) => paths.has(target)),
    ]),
  );
}

/** Returns the files of a shortest cycle, with the first one repeated at its end; null where there is none. */
export function shortestCycle(graph: ImportGraph): string[] | null {
  let shortest: string[] | null = null;
  for (const start of graph.keys()) {
    const cycle = cycleFrom(graph, start, shortest === null ? Number.POSITIVE_INFINITY : shortest.length - 1);
    if (cycle !== null) shortest = cycle;
  }
  return shortest;
}

/** Returns a shortest path from a file back to itself, of fewer than `limit` steps. */
function cycleFrom(graph: ImportGraph, start: string, limit: number): string[] | null {
  const cameFrom = new Map<string, string>();
  let reached = [start];
  for (let steps = 1; steps < limit && reached.length > 0; steps++) {
    const next: string[] = [];
    for (const path of reached) {
      for (const target of graph.get(path) ?? []) {
        if (target === start) return [...trailTo(cameFrom, start, path), start];
        if (cameFrom.has(target)) continue;
        cameFrom.set(target, path);
        next.push(target);
      }
    }
    reached = next;
  }
  return null;
}

function trailTo(cameFrom: ReadonlyMap<string, string>, start: string, end: string): string[] {
  const trail = [end];
  while (trail[0] !== start) trail.unshift(cameFrom.get(trail[0]!)!);
  return trail;
}
