import { Button, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Api, dataOf, type Model, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { actorText } from '../../ui/actor.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { ask } from '../../ui/Dialogs.tsx';
import { Moment } from '../../ui/format.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { sayError } from '../../ui/messages.tsx';
import css from './Notes.module.css';

type Note = Model<'Note'>;
/** The record that notes are about. */
interface Subject {
  kind: 'customer' | 'order';
  id: number;
}

const SHOWN = 20;

function read(api: Api, { kind, id }: Subject, signal: AbortSignal) {
  const options = { params: { path: { id }, query: { per_page: SHOWN } }, signal };
  return rowsOf(
    kind === 'customer' ? api.GET('/customers/{id}/notes', options) : api.GET('/orders/{id}/notes', options),
  );
}

function create(api: Api, { kind, id }: Subject, text: string) {
  const options = { params: { path: { id } }, body: { text } };
  return dataOf(
    kind === 'customer' ? api.POST('/customers/{id}/notes', options) : api.POST('/orders/{id}/notes', options),
  );
}

function remove(api: Api, { id, order_id }: Note) {
  const options = { params: { path: { id } } };
  return dataOf(
    order_id === null ? api.DELETE('/customer-notes/{id}', options) : api.DELETE('/order-notes/{id}', options),
  );
}

/** Notes about a customer or an order, and a field to add one. */
export function Notes({ subject }: { subject: Subject }) {
  const { api, company, can } = useShop();
  const key = [company.id, `${subject.kind}s`, subject.id, 'notes'];
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => read(api, subject, signal) });
  const { data } = query;
  const scopeOf = (note: Note): string => (note.order_id === null ? 'customers:write' : 'orders:write');
  return (
    <Section title={t('notes.title')}>
      {can(`${subject.kind}s:write`) ? <NewNote subject={subject} /> : null}
      <LoadedPart query={query}>{() => null}</LoadedPart>
      {data?.rows.length === 0 ? <p className={`${css.none} dim`}>{t('notes.none')}</p> : null}
      <ol className={css.notes}>
        {data?.rows.map((note) => (
          <li key={note.id} className={css.note}>
            <p className={css.text}>{note.text}</p>
            <div className={css.foot}>
              <span className="dim">
                {actorText(note.actor, note.actor_name)} · <Moment at={note.created_at} />
                {subject.kind === 'customer' && note.order_id !== null ? (
                  <>
                    {' · '}
                    <Anchor path={`orders/${note.order_id}`}>{t('order.title', { id: note.order_id })}</Anchor>
                  </>
                ) : null}
              </span>
              {can(scopeOf(note)) ? <DeleteNote note={note} /> : null}
            </div>
          </li>
        ))}
      </ol>
      {data !== undefined && data.total > data.rows.length ? (
        <p className="dim">{t('notes.latest', { n: data.rows.length, total: data.total })}</p>
      ) : null}
    </Section>
  );
}

function NewNote({ subject }: { subject: Subject }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const add = useWrite({
    mutationFn: () => create(api, subject, text),
    onSuccess: () => {
      setText('');
      return client.invalidateQueries({ queryKey: [company.id, `${subject.kind}s`, subject.id] });
    },
    onError: sayError,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className={css.form}>
      <Textarea
        aria-label={t('notes.new')}
        placeholder={t('notes.new')}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={5_000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {text.trim() === '' ? null : (
        <Button type="submit" size="xs" loading={add.isPending}>
          {t('notes.add')}
        </Button>
      )}
    </form>
  );
}

function DeleteNote({ note }: { note: Note }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const run = async (): Promise<void> => {
    const sure = await ask({ title: t('notes.delete.title'), text: note.text, action: t('action.delete') });
    if (!sure) return;
    try {
      await remove(api, note);
      await client.invalidateQueries({ queryKey: [company.id] });
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <button type="button" className={css.delete} aria-label={t('notes.delete')} onClick={() => void run()}>
      <Icon name="x" size={15} />
    </button>
  );
}
