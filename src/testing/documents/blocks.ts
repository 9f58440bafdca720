import { readFileSync } from 'node:fs';
import { filesUnder, ROOT } from '../house/sources.ts';

/** A code block of a document. */
export interface Block {
  file: string;
  /** Number of its first line of code. */
  line: number;
  language: string;
  code: string;
  /** Why it cannot be run, by the comment `<!-- not run: reason -->` right before it; null where it is run. */
  notRun: string | null;
}

const FENCE = /^( *)```([\w-]*)$/;
const MARKER = /^ *<!-- not run: (.+) -->$/;

export function blocksIn(file: string, text: string = readFileSync(`${ROOT}/${file}`, 'utf8')): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = FENCE.exec(lines[at]!);
    if (opening === null) continue;
    const [, indent = '', language = ''] = opening;
    const end = lines.findIndex((line, i) => i > at && line === `${indent}\`\`\``);
    if (end === -1) throw new Error(`${file}:${at + 1}: the block has no end`);
    const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const before = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? '';
    blocks.push({
      file,
      line: at + 2,
      language,
      code: `${code.join('\n')}\n`,
      notRun: MARKER.exec(before)?.[1] ?? null,
    });
    at = end;
  }
  return blocks;
}

/** Returns README and all documents of docs/ written for readers; design notes contain no code to paste. */
export function documents(): string[] {
  const guides = filesUnder('docs').filter((path) => path.endsWith('.md') && !/^docs\/design\//.test(path));
  return ['README.md', ...guides.filter((path) => !path.startsWith('docs/.vitepress/') && path !== 'docs/[page].md')];
}
