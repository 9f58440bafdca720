import { expect, test } from 'vitest';
import { type LockedPackage, lockOf } from './locked.ts';

const of = (packages: Record<string, LockedPackage>) => ({ name: 'x', version: '1', lockfileVersion: 3, packages });
const root = { name: 'shop', version: '2.0.0', dependencies: { a: '1' } };

test('packages are found as Node finds them, the innermost first', () => {
  const lock = lockOf(
    root,
    of({
      'node_modules/a': { version: '1', dependencies: { b: '2', c: '1' } },
      'node_modules/a/node_modules/b': { version: '2', dependencies: { c: '1' } },
      'node_modules/b': { version: '1' },
      'node_modules/c': { version: '1', dev: true },
    }),
  );
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c']);
  expect(lock.packages['node_modules/c']).toEqual({ version: '1' });
  expect(lock).toMatchObject({ name: 'shop', version: '2.0.0', lockfileVersion: 3 });
});

test('peers are needed, optional ones are not', () => {
  const a = { peerDependencies: { b: '1', typescript: '7' }, peerDependenciesMeta: { typescript: { optional: true } } };
  const lock = lockOf(
    root,
    of({ 'node_modules/a': a, 'node_modules/b': {}, 'node_modules/typescript': { devOptional: true } }),
  );
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/a', 'node_modules/b']);
});

test('packages missing from the lock file are reported', () => {
  expect(() => lockOf(root, of({ 'node_modules/a': { dependencies: { gone: '1' } } }))).toThrow(
    'package-lock.json lacks gone, which node_modules/a needs',
  );
});
