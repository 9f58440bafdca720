import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { RECIPES } from '../recipes.ts';
import { ENDPOINTS } from '../records.ts';
import { filesUnder, readText } from './sources.ts';

/** One message per registration that is missing: the file, and the line to add. docs/design/adding-a-resource.md lists the files of a resource. */

const all = filesUnder('src').filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));

/** Names exported from files like this that no other file mentions, with the line that the registry lacks. */
function unregistered(registry: string, files: RegExp, exported: RegExp, use: (name: string) => string): string[] {
  return all
    .filter((path) => files.test(path))
    .flatMap((path) => [...readText(path).matchAll(exported)].map(([, name]) => ({ path, name: name! })))
    .filter(({ path, name }) => !all.some((other) => other !== path && readText(other).includes(name)))
    .map(({ path, name }) => {
      const from = `./${path.slice(dirname(registry).length + 1)}`;
      return `${registry}: add \`import { ${name} } from '${from}';\` and \`${use(name)}\``;
    });
}

const isPlain = (path: string): boolean => /^\/[a-z-]+$/.test(path);

function withoutRecipe(): string[] {
  const hasAll = (path: string, methods: string[], side: string): boolean =>
    methods.every((method) =>
      ENDPOINTS.some((one) => one.side === side && one.endpoint.method === method && one.endpoint.path === path),
    );
  return ENDPOINTS.filter(
    ({ side, endpoint: { method, path } }) =>
      method === 'POST' &&
      isPlain(path) &&
      hasAll(path, ['GET'], side) &&
      hasAll(`${path}/{id}`, ['GET', 'DELETE'], side),
  )
    .filter(({ side, endpoint }) => !RECIPES.some((one) => one.side === side && `/${one.resource}` === endpoint.path))
    .map(
      ({ side, endpoint: { path } }) =>
        `src/testing/recipes.ts: add \`{ side: '${side}', resource: '${path.slice(1)}', plain: true, body: (_ids, mark) => ({ … }) }\``,
    );
}

/** Pages of the admin app that no address shows. */
function withoutAddress(): string[] {
  const registry = 'admin/src/pages/pages.ts';
  const listed = readText(registry);
  return filesUnder('admin/src/pages')
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) =>
      [...readText(path).matchAll(/^export function ((?:List|Create|Edit|Detail)Page)\(/gm)].map(([, name]) => ({
        module: `./${path.slice('admin/src/pages/'.length)}`,
        name: name!,
      })),
    )
    .filter(({ module, name }) => !listed.includes(`import('${module}'), '${name}'`))
    .filter(({ module }) => !module.startsWith('./ui/'))
    .map(({ module, name }) => {
      const below = { ListPage: '', CreatePage: '/new' }[name] ?? '/$id';
      const folder = dirname(module) === '.' ? basename(module, '.tsx').toLowerCase() : basename(dirname(module));
      return `${registry}: add \`['${folder}${below}', () => import('${module}'), '${name}'],\``;
    });
}

test('every part of a resource is registered', () => {
  const missing = [
    ...unregistered('src/endpoints.ts', /contract\.ts$/, /^export const (\w+Endpoints)\b/gm, (name) => `...${name},`),
    ...unregistered('src/routes.ts', /(^|\/)http\.ts$/, /^export function (\w+Routes)\(/gm, (name) => `${name},`),
    ...unregistered('src/tables.ts', /./, /^export const (\w+Tables) = declareTables\(/gm, (name) => `...${name},`),
    ...withoutRecipe(),
    ...withoutAddress(),
  ];
  expect(missing).toEqual([]);
});
