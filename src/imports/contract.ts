import Type, { type Static } from 'typebox';
import type { Endpoint } from '../http/api/endpoint.ts';
import { IdParams, OneOf, pageQuery, Trimmed } from '../lib/schemas.ts';
import { FORMAT_NAMES, Import, ImportFinding, ImportFormat, ImportOptions, ImportPreview } from './schemas.ts';

/** Bytes of a chunk; with base64 and JSON around it, it stays within the limit of a request body. */
export const CHUNK_BYTES = 512 * 1024;
const BASE64_LENGTH = Math.ceil(CHUNK_BYTES / 3) * 4;

const shared = { tag: 'Imports', status: 200, personScope: 'imports:write' } as const;
const read = { ...shared, method: 'GET', scope: 'settings:read' } as const;
const write = { ...shared, method: 'POST', scope: 'settings:write' } as const;
const KIND_READ =
  'Also needs the `read` scope of the imported records: `marketing:read` for contacts, otherwise that of the kind.';
const KIND_WRITE =
  'Also needs the `write` scope of the imported records: `marketing:write` for contacts, otherwise that of the kind.';

export const listImportFormats = {
  ...read,
  path: '/import-formats',
  summary: 'List import formats',
  description: 'The services and files that can be imported, with their columns.',
  data: Type.Object({ formats: Type.Array(ImportFormat) }),
} as const satisfies Endpoint;

export const listImports = {
  ...read,
  path: '/imports',
  summary: 'List imports',
  description: 'Newest first.',
  query: Type.Object(pageQuery(25)),
  inOrderOf: { by: 'id' },
  data: Type.Array(Import),
} as const satisfies Endpoint;

export const getImport = {
  ...read,
  path: '/imports/{id}',
  summary: 'Get an import',
  description: 'With its progress: `position` of `total` rows are done.',
  params: IdParams,
  data: Import,
} as const satisfies Endpoint;

export const NewImport = Type.Object({
  format: OneOf(FORMAT_NAMES),
  file_name: Trimmed({ minLength: 1, maxLength: 255 }),
});
export type NewImport = Static<typeof NewImport>;

export const createImport = {
  ...write,
  path: '/imports',
  summary: 'Begin an import',
  description: `The file follows in chunks; then the import is checked, and run. ${KIND_WRITE}`,
  body: NewImport,
  data: Import,
  status: 201,
} as const satisfies Endpoint;

export const Chunk = Type.Object({
  n: Type.Integer({ minimum: 0, maximum: 100_000, description: 'From 0, one after the other' }),
  data: Type.String({ maxLength: BASE64_LENGTH, description: `At most ${CHUNK_BYTES} bytes, in base64` }),
});
export type Chunk = Static<typeof Chunk>;

export const uploadChunk = {
  ...write,
  path: '/imports/{id}/chunks',
  unaudited: 'is a part of another',
  summary: 'Upload a chunk of the file',
  description: 'A chunk that is already stored is ignored, so an upload can be resumed.',
  params: IdParams,
  body: Chunk,
  data: Import,
} as const satisfies Endpoint;

export const previewImport = {
  ...read,
  path: '/imports/{id}/preview',
  summary: 'Preview an import',
  description: `The columns of the file with the fields that they seem to be, and the first rows. Once all of the file has come. ${KIND_READ}`,
  params: IdParams,
  query: Type.Object({ encoding: ImportOptions.properties.encoding }),
  data: ImportPreview,
} as const satisfies Endpoint;

export const checkImport = {
  ...write,
  path: '/imports/{id}/check',
  summary: 'Check an import',
  description:
    'A dry run that counts new, changed and refused records. Writes nothing. Can be repeated with other options.',
  params: IdParams,
  body: ImportOptions,
  bodyOptional: true,
  data: Import,
} as const satisfies Endpoint;

export const runImport = {
  ...write,
  path: '/imports/{id}/run',
  summary: 'Run a checked import',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Import,
} as const satisfies Endpoint;

export const cancelImport = {
  ...write,
  path: '/imports/{id}/cancel',
  summary: 'Cancel an import',
  description: 'Before or during the run. Imported records are kept and can be undone.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Import,
} as const satisfies Endpoint;

export const undoImport = {
  ...write,
  path: '/imports/{id}/undo',
  summary: 'Undo an import',
  description:
    'Within 7 days. Removes new records and restores changed ones, unless they were changed or used since; these are reported. Variants that it gave to a parent become simple products first.',
  params: IdParams,
  body: Type.Object({}),
  bodyOptional: true,
  data: Import,
} as const satisfies Endpoint;

export const listImportFindings = {
  ...read,
  path: '/imports/{id}/findings',
  summary: 'List refused rows',
  description: 'With row, column and reason, of the last check, run and undo.',
  params: IdParams,
  query: Type.Object({
    phase: Type.Optional(OneOf(['check', 'run', 'undo'])),
    after: Type.Optional(Type.Integer({ minimum: 0, description: 'The `next` of the page before' })),
    per_page: pageQuery(100).per_page,
  }),
  data: Type.Object({
    findings: Type.Array(ImportFinding),
    next: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  }),
} as const satisfies Endpoint;

export const importEndpoints: readonly Endpoint[] = [
  ...[listImportFormats, listImports, createImport, getImport, uploadChunk, previewImport, checkImport, runImport],
  ...[cancelImport, undoImport, listImportFindings],
];
