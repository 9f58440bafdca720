import { useQuery } from '@tanstack/react-query';
import { type Api, dataOf, type Model } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';

export type Media = Model<'Media'>;

export const KINDS = ['picture', 'file', 'link'] as const;

/** The title or, without one, what tells it from others. */
export function nameOf({ id, kind, title, url }: Media): string {
  return title || (kind === 'link' ? url : t('media.untitled', { id }));
}

/** The `accept` attribute of the input; the server checks the content. */
export const ACCEPTED = 'image/jpeg,image/png,image/webp,image/gif,image/avif,application/pdf';

/** Adds a file to the library, with its name as title. Throws ApiError. */
export function addMedia(api: Api, file: File): Promise<Media> {
  const title = file.name.replace(/\.[^.]+$/, '').slice(0, 255);
  const headers = { 'Content-Type': file.type === 'application/pdf' ? file.type : 'image/*' };
  // The endpoint takes a link as JSON, which its type describes, or bytes.
  const body = { kind: 'link', url: '' } as const;
  return dataOf(api.POST('/media', { params: { query: { title } }, body, bodySerializer: () => file, headers }));
}

export function useMedia(id: number) {
  const { api, company } = useShop();
  return useQuery({
    queryKey: [company.id, 'media', id],
    queryFn: ({ signal }) => dataOf(api.GET('/media/{id}', { params: { path: { id } }, signal })),
  });
}
