import { useQuery } from '@tanstack/react-query';
import { type Api, dataOf, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { tIf } from '../../i18n/i18n.ts';

export type Import = ResponseOf<'/imports/{id}'>['data'];
export type Preview = ResponseOf<'/imports/{id}/preview'>['data'];
export type Format = ResponseOf<'/import-formats'>['data']['formats'][number];
export type Finding = ResponseOf<'/imports/{id}/findings'>['data']['findings'][number];
export type Phase = Finding['phase'];

const BUSY: readonly Import['status'][] = ['checking', 'running', 'undoing'];
const POLL_MS = 700;

export function isBusy({ status }: Import): boolean {
  return BUSY.includes(status);
}

export function useFormats() {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'import-formats'],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/import-formats', { signal }))).formats,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** An import with its progress, polled while it is running. */
export function useImport(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'imports', id],
    meta: { live: ['imports'] },
    queryFn: ({ signal }) => dataOf(api.GET('/imports/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data !== undefined && isBusy(state.data) ? POLL_MS : false),
  });
}

/** Bytes of a chunk. */
const CHUNK = 384 * 1024;

/** Sends a file in chunks. If a chunk is lost, repeating the upload sends it again. */
export async function upload(
  api: Api,
  { format, file, onProgress }: { format: string; file: File; onProgress: (share: number) => void },
): Promise<number> {
  const { id } = await dataOf(
    api.POST('/imports', { body: { format: format as Import['format'], file_name: file.name } }),
  );
  for (let n = 0, at = 0; at < file.size; n++, at += CHUNK) {
    const data = await base64Of(file.slice(at, at + CHUNK));
    await dataOf(api.POST('/imports/{id}/chunks', { params: { path: { id } }, body: { n, data } }));
    onProgress(Math.min(1, (at + CHUNK) / file.size));
  }
  return id;
}

function base64Of(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(part);
  });
}

/** All findings of a phase, page by page. */
export async function allFindings(api: Api, id: number, phase: Phase): Promise<Finding[]> {
  const all: Finding[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const query: { phase: Phase; per_page: number; after: number } = { phase, per_page: 100, after };
    const page = await dataOf(api.GET('/imports/{id}/findings', { params: { path: { id }, query } }));
    all.push(...page.findings);
    after = page.next;
  }
  return all;
}

/** Returns the name of a field that a column of a file is read into; fields of products have it from the product's own form. */
export function fieldText(field: string): string {
  return tIf(`imports.field.${field}`) ?? tIf(`product.${field}`) ?? field;
}
