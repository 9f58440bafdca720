import { validate } from 'dockerfile-utils';
import { readDockerfile, type Stage } from './dockerfile.ts';

/** Returns what is wrong with a Dockerfile: by the parser of Docker's own editor tools, then by rules of our own. */
export function findingsOf(text: string): string[] {
  const syntax = validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`);
  return syntax.length > 0 ? syntax : ownFindings(readDockerfile(text));
}

function ownFindings(stages: Stage[]): string[] {
  const names = new Set(stages.map(({ name }) => name));
  const bases = stages.filter(({ base }) => !names.has(base)).map(({ base }) => base);
  const last = stages.at(-1)!.instructions;
  const shells = last.filter(({ name, rest }) => /^(ENTRYPOINT|CMD|HEALTHCHECK)$/.test(name) && !/\[\s*"/.test(rest));
  const user = last.findLast(({ name }) => name === 'USER');
  const behindUser = user === undefined ? [] : last.slice(last.indexOf(user) + 1);
  return [
    ...bases.filter((base) => !isPinned(base)).map((base) => `FROM ${base}: no version is named`),
    ...shells.map(({ name }) => `${name}: words as JSON, since the image has no shell`),
    ...(last.some(({ name }) => name === 'ENTRYPOINT') ? [] : ['ENTRYPOINT: missing']),
    ...(user === undefined ? ['USER: missing, so the program is root'] : []),
    ...(user !== undefined && /^(0|root)(:|$)/.test(user.rest) ? [`USER ${user.rest}: root`] : []),
    ...behindUser.filter(({ name }) => /^(RUN|COPY|ADD)$/.test(name)).map(({ name }) => `${name}: behind USER`),
    ...stages.flatMap(({ instructions }) =>
      instructions.filter(({ name }) => name === 'ADD').map(() => 'ADD: use COPY'),
    ),
  ];
}

/**
 * Whether it is pinned by a digest, or by a tag with a version; distroless images have no version tags, but Debian's
 * release in their name. A variable that no ARG sets leaves a gap, which is not a version.
 */
function isPinned(base: string): boolean {
  if (/@sha256:[0-9a-f]{64}$/.test(base)) return true;
  const [, name, tag] = /^(.+?)(?::([\w.-]+))?$/.exec(base)!;
  if (tag === undefined || tag === 'latest') return false;
  return /^\d+\.\d+\.\d+/.test(tag) || /distroless\/[\w-]+-debian\d+$/.test(name!);
}
