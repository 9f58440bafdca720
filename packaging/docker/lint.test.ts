import { describe, expect, it } from 'vitest';
import { filesUnder } from '../../src/testing/house/sources.ts';
import { findingsOf } from './lint.ts';
import { DOCKERFILE_TEXT, isIgnored } from './rootfs.ts';

const GOOD = `FROM node:24.1.0-bookworm AS build
RUN true
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /a /a
USER 65532:65532
ENTRYPOINT ["/a"]
`;

describe('the rules for Dockerfiles', () => {
  it('find nothing in that of the image, and in a small one', () => {
    expect(findingsOf(DOCKERFILE_TEXT)).toEqual([]);
    expect(findingsOf(GOOD)).toEqual([]);
  });

  it.each([
    ['COPY --from=build /a /a', 'COPI --from=build /a /a', 'Unknown instruction: COPI'],
    ['COPY --from=build /a /a', 'COPY --form=build /a /a', 'Unknown flag: form'],
    ['COPY --from=build /a /a', 'COPY /a', 'at least two'],
    ['RUN true', 'RUN true\nEXPOSE 99999x', 'Invalid containerPort'],
    ['ENTRYPOINT ["/a"]', 'ENTRYPOINT ["/a"]\nHEALTHCHECK --interval=10 CMD ["/a"]', 'missing unit'],
    ['node:24.1.0-bookworm', 'node', 'no version is named'],
    ['node:24.1.0-bookworm', 'node:latest', 'no version is named'],
    ['node:24.1.0-bookworm', 'node:lts', 'no version is named'],
    ['cc-debian12:nonroot', 'cc:nonroot', 'no version is named'],
    ['ENTRYPOINT ["/a"]', 'ENTRYPOINT /a', 'words as JSON'],
    ['ENTRYPOINT ["/a"]', 'ENTRYPOINT ["/a"]\nCMD start', 'words as JSON'],
    ['ENTRYPOINT ["/a"]', 'CMD ["start"]', 'ENTRYPOINT: missing'],
    ['USER 65532:65532', 'USER root', 'USER root: root'],
    ['USER 65532:65532', 'USER 0:0', 'USER 0:0: root'],
    ['USER 65532:65532\n', '', 'USER: missing'],
    ['ENTRYPOINT', 'COPY --from=build /b /b\nENTRYPOINT', 'COPY: behind USER'],
    ['COPY --from', 'ADD https://example.com/a /a\nCOPY --from', 'ADD: use COPY'],
  ])('find what is wrong with %j as %j', (from, to, finding) => {
    expect(GOOD).toContain(from);
    expect(findingsOf(GOOD.replace(from, to))).toContainEqual(expect.stringContaining(finding));
  });
});

describe('the build context', () => {
  it.each(['.env', 'packaging/docker/.env', 'packaging/docker/.env.local', 'tradeloom.env', 'data/master.key'])(
    'lacks %s, which has secrets',
    (path) => expect(isIgnored(path)).toBe(true),
  );

  it.each(['npm-debug.log', 'packaging/docker/caddy.log', '.git/config', 'client/node_modules/a/a.js'])(
    'lacks %s, which the image does not need',
    (path) => expect(isIgnored(path)).toBe(true),
  );

  it('has every other file of the repository, from which the packages and the admin app are built', () => {
    const files = filesUnder('').filter((path) => !path.startsWith('.ci/'));
    expect(files).toEqual(expect.arrayContaining(['package.json', '.npmrc', 'src/main.ts', 'packaging/npm/build.ts']));
    expect(isIgnored('src/db/database.ts')).toBe(false);
    expect(files.filter((path) => isIgnored(path) && !/\.log$|(^|\/)\.env|\.env$/.test(path))).toEqual([]);
  });
});
