import { Button } from '@mantine/core';
import { t } from '../i18n/i18n.ts';

/** Pages through a short list inside a section; renders nothing if there is only one page. */
export function Pager(props: { page: number; perPage: number; total: number; onChange(page: number): void }) {
  const { page, perPage, total, onChange } = props;
  if (total <= perPage) return null;
  return (
    <>
      <Button size="xs" variant="default" disabled={page === 1} onClick={() => onChange(page - 1)}>
        {t('action.newer')}
      </Button>
      <Button size="xs" variant="default" disabled={page * perPage >= total} onClick={() => onChange(page + 1)}>
        {t('action.older')}
      </Button>
    </>
  );
}
