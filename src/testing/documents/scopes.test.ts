import { expect, test } from 'vitest';
import { EVERYTHING, SCOPES } from '../../access/scopes.ts';
import { commerceEndpoints, marketingEndpoints } from '../../endpoints.ts';
import { readText } from '../house/sources.ts';

test('docs/api.md lists every scope, with the resources of the endpoints that it permits', () => {
  const rows = [...readText('docs/api.md').matchAll(/^\| `([a-z]+:[a-z]+|\*)` +\| ([^|]+?) +\| [^|]+\|$/gm)];
  const listed = rows.map(([, scope, resources]) => [scope, resources!.split(', ').sort()]);
  const endpoints = [...commerceEndpoints, ...marketingEndpoints];
  const resourcesOf = (scope: string): string[] =>
    [...new Set(endpoints.filter((one) => one.scope === scope).map(({ tag }) => tag))].sort();
  expect(listed).toEqual([...SCOPES.map((scope) => [scope, resourcesOf(scope)]), [EVERYTHING, ['All']]]);
});
