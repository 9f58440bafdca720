import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { DialogActions } from '../../ui/DialogActions.tsx';
import { say, textOf } from '../../ui/messages.tsx';
import css from './MergeDialog.module.css';
import { type Customer, nameOf } from './queries.ts';

const TYPING_MS = 200;
const SHOWN = 6;

/** Finds the other customer, says what will happen, and merges them. */
export function MergeDialog({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const { api, company } = useShop();
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [from, setFrom] = useState<Customer | null>(null);
  const merge = useWrite({
    mutationFn: (from: number) =>
      dataOf(api.POST('/customers/{id}/merge', { params: { path: { id: customer.id } }, body: { from } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [company.id] });
      say(t('customer.merge.done'));
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (from !== null) merge.mutate(from.id);
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('customer.merge.title', { name: nameOf(customer) })}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form className="stack" onSubmit={submit}>
        <TextInput
          type="search"
          label={t('customer.merge.search')}
          description={t('customer.merge.help')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setFrom(null);
          }}
          autoComplete="off"
          data-autofocus
        />
        <Candidates text={text} customer={customer} chosen={from} onChoose={setFrom} />
        {from === null ? null : (
          <p className="break">{t('customer.merge.text', { from: labelOf(from), into: labelOf(customer) })}</p>
        )}
        {merge.error === null ? null : (
          <p role="alert" className={css.problem}>
            {textOf(merge.error)}
          </p>
        )}
        <DialogActions
          submit={t('customer.merge.action')}
          onCancel={onClose}
          color="red"
          disabled={from === null}
          loading={merge.isPending}
        />
      </form>
    </Modal>
  );
}

function labelOf(customer: Customer): string {
  return nameOf(customer) === customer.email ? customer.email : `${nameOf(customer)} (${customer.email})`;
}

interface CandidatesProps {
  text: string;
  customer: Customer;
  chosen: Customer | null;
  onChoose(customer: Customer): void;
}

function Candidates({ text, customer, chosen, onChoose }: CandidatesProps) {
  const { api, company } = useShop();
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useQuery({
    queryKey: [company.id, 'customers', 'merge', search],
    enabled: search !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => rowsOf(api.GET('/customers', { params: { query: { search, per_page: SHOWN } }, signal })),
  });
  if (search === '' || data === undefined) return null;
  const others = data.rows.filter(({ id }) => id !== customer.id);
  if (others.length === 0) return <p className="dim">{t('customer.merge.none')}</p>;
  return (
    <fieldset className={css.candidates}>
      <legend className="visually-hidden">{t('customer.merge.search')}</legend>
      {others.map((one) => (
        <label key={one.id} className={css.candidate}>
          <input type="radio" name="from" checked={chosen?.id === one.id} onChange={() => onChoose(one)} />
          <span>
            <span className="break">{nameOf(one)}</span>
            <br />
            <span className="dim break">
              #{one.id} · {one.email}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
