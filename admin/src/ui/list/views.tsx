import { Button, Menu } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok } from '../../api/client.ts';
import type { SearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../FormDialog.tsx';
import { Icon } from '../Icon.tsx';
import { textOf as failureOf, say, sayError } from '../messages.tsx';
import css from './ListPage.module.css';

interface ViewMenuProps {
  /** The list's name. */
  list: string;
  /** The current filters. */
  shown: Record<string, string | boolean>;
  onChoose(view: SearchValues): void;
}

/** A person's own views of a list: the filters in its address, stored under a name. */
export function ViewMenu({ list, shown, onChoose }: ViewMenuProps) {
  const { api, company, session } = useShop();
  const client = useQueryClient();
  const [saving, setSaving] = useState(false);
  const [opened, setOpened] = useState(false);
  const key = [company.id, 'views', list];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    enabled: opened,
    queryFn: ({ signal }) => ok(api.GET('/views', { params: { query: { list } }, signal })),
  });
  // The operator has no account to keep them with.
  if (session.person.id === null) return null;
  const search = textOf(shown);
  const current = data?.views.find((view) => view.search === search);
  const remove = async (id: number): Promise<void> => {
    await ok(api.DELETE('/views/{id}', { params: { path: { id } } })).then(
      () => say(t('views.deleted')),
      (error: unknown) => sayError(error),
    );
    await client.invalidateQueries({ queryKey: key });
  };
  return (
    <>
      <Menu position="bottom-end" opened={opened} onChange={setOpened} width={240}>
        <Menu.Target>
          <Button variant="default" size="xs" rightSection={<Icon name="chevron-down" size={14} />}>
            {current?.name ?? t('views.menu')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {data?.views.length === 0 ? <Menu.Label>{t('views.none')}</Menu.Label> : null}
          {data !== undefined ? null : error === null ? (
            <Menu.Label>{t('state.loading')}</Menu.Label>
          ) : (
            <Menu.Item closeMenuOnClick={false} onClick={() => void refetch()}>
              {failureOf(error)} {t('action.retry')}
            </Menu.Item>
          )}
          {data?.views.map((view) => (
            <Menu.Item
              key={view.id}
              className="break"
              leftSection={view === current ? <Icon name="check" size={15} /> : <span className={css.noIcon} />}
              onClick={() => onChoose(Object.fromEntries(new URLSearchParams(view.search)))}
            >
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="plus" size={15} />} onClick={() => setSaving(true)}>
            {t('views.save')}
          </Menu.Item>
          {current === undefined ? null : (
            <Menu.Item
              className="break"
              leftSection={<Icon name="x" size={15} />}
              onClick={() => void remove(current.id)}
            >
              {t('views.delete', { name: current.name })}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {saving ? (
        <FormDialog
          title={t('views.save')}
          text={t('views.save.text')}
          fields={[{ name: 'name', label: t('field.name'), type: 'text', required: true }]}
          initial={{ name: current?.name ?? '' }}
          submit={t('action.save')}
          save={(body) => ok(api.POST('/views', { body: { list, search, name: String(body.name ?? '') } }))}
          done={t('views.saved')}
          onClose={() => setSaving(false)}
        />
      ) : null}
    </>
  );
}

/** Returns the same text for the same filters, in whatever order they were set. */
function textOf(shown: Record<string, string | boolean>): string {
  const entries = Object.entries(shown).map(([key, value]): [string, string] => [key, String(value)]);
  return new URLSearchParams(entries.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}
