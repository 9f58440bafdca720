/** SVG paths in an area of 400 × 400: `body` is filled with the colour, `label` with the accent, `lines` are stroked. */
export interface Drawing {
  body: string;
  label?: string;
  lines?: string;
}

export const DRAWINGS = {
  bag: {
    body: 'M130 84h140v34l16 24v172q0 18-18 18H132q-18 0-18-18V142l16-24z',
    label: 'M150 186h100v86H150z',
    lines: 'M130 118h140',
  },
  tin: {
    body: 'M118 130q0-26 82-26t82 26v166q0 36-82 36t-82-36z',
    label: 'M118 196q20 26 82 26t82-26v66q-20 26-82 26t-82-26z',
    lines: 'M118 132q20 26 82 26t82-26',
  },
  mug: { body: 'M112 132h148v148q0 48-48 48h-52q-48 0-48-48z', lines: 'M262 164h14q38 0 38 46t-38 46h-16' },
  cone: { body: 'M92 118h216l-76 136v46h76v28H92v-28h76v-46z', lines: 'M140 150l40 76M260 150l-40 76' },
  kettle: {
    body: 'M116 328l18-152q4-28 30-28h72q26 0 30 28l18 152z',
    label: 'M186 130h28v18h-28z',
    lines: 'M150 150q0-72 50-72t50 72M274 262q58-10 50-110l22-8',
  },
  grinder: {
    body: 'M152 132h96l-6 80 10 116H148l10-116z',
    label: 'M156 204h88v16h-88z',
    lines: 'M200 130v-38h92M292 92v-22',
  },
  box: {
    body: 'M106 166h180v156H106z M106 166l34-44h180l-34 44z M294 172l32-42v144l-32 44z',
    label: 'M136 206h120v70H136z',
  },
  carafe: {
    body: 'M158 84h84l-16 78q66 34 66 102 0 66-92 66t-92-66q0-68 66-102z',
    label: 'M124 236q76 34 152 0 8 74-76 74t-76-74z',
  },
  towel: { body: 'M118 84h164v244H118z', label: 'M118 128h164v14H118zM118 152h164v6H118zM118 280h164v14H118z' },
  jar: {
    body: 'M138 136h124q26 18 26 52v110q0 32-32 32H144q-32 0-32-32V188q0-34 26-52z M132 92h136v34H132z',
    label: 'M112 206h176v74H112z',
  },
  shirt: {
    body: 'M148 92l-60 34 24 58 28-14v158h120V170l28 14 24-58-60-34q-52 40-104 0z',
    label: 'M172 190h56v56h-56z',
  },
  bar: { body: 'M128 84h144v246H128z', lines: 'M128 146h144M128 207h144M128 268h144M200 84v246' },
} as const satisfies Record<string, Drawing>;

export type Shape = keyof typeof DRAWINGS;
