import { Button, NativeSelect } from '@mantine/core';
import type { SearchValues } from '../../app/nav.ts';
import { t } from '../../i18n/i18n.ts';
import { useFormat } from '../format.tsx';
import { Icon, type IconName } from '../Icon.tsx';
import css from './ListPage.module.css';

/** Page sizes; the first one is the default. */
export const PER_PAGE = [25, 50, 100] as const;

interface ListFootProps {
  total: number | undefined;
  page: number;
  perPage: number;
  onChange(part: SearchValues, how?: 'replace' | 'push'): void;
}

/** The number of rows, the page size, and links to the other pages. */
export function ListFoot({ total, page, perPage, onChange }: ListFootProps) {
  const format = useFormat();
  const pages = total === undefined ? 1 : Math.max(1, Math.ceil(total / perPage));
  return (
    <div className={`${css.foot} no-print`}>
      <span className="dim num" aria-live="polite">
        {total === undefined ? ' ' : t('list.total', { n: total, shown: format.number(total) })}
      </span>
      <span className="grow" />
      {total !== undefined && total > PER_PAGE[0] ? (
        <NativeSelect
          size="xs"
          aria-label={t('list.per_page')}
          value={String(perPage)}
          data={PER_PAGE.map((n) => ({ value: String(n), label: t('list.per_page.n', { n }) }))}
          onChange={(event) => onChange({ page: '', per_page: event.currentTarget.value })}
        />
      ) : null}
      {pages > 1 ? (
        <nav className="row" aria-label={t('list.pages')}>
          <PageButton
            icon="chevron-left"
            text={t('list.previous')}
            disabled={page <= 1}
            onClick={() => onChange({ page: page === 2 ? '' : String(page - 1) }, 'push')}
          />
          <span className="num">{t('list.page', { page: format.number(page), pages: format.number(pages) })}</span>
          <PageButton
            icon="chevron-right"
            text={t('list.next')}
            disabled={page >= pages}
            onClick={() => onChange({ page: String(page + 1) }, 'push')}
          />
        </nav>
      ) : null}
    </div>
  );
}

export function PageButton(props: { icon: IconName; text: string; disabled: boolean; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="xs"
      px={8}
      aria-label={props.text}
      disabled={props.disabled}
      onClick={props.onClick}
    >
      <Icon name={props.icon} size={16} />
    </Button>
  );
}
