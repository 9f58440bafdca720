import type { BodyOf } from '../../api/client.ts';
import { t } from '../../i18n/i18n.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { FieldOf, InputProps, Value } from '../../ui/form/values.ts';
import { type ChosenContact, ContactChoice } from './ContactChoice.tsx';

type TestBody = BodyOf<'/campaigns/test/{id}', 'post'>;

/** Sends a test: recipient, contact for the values, and variant if there are any. */
export function TestDialog(props: {
  channel: 'email' | 'sms';
  variants?: string[];
  send(body: TestBody): Promise<unknown>;
  onClose(): void;
}) {
  const { channel, variants = [], send, onClose } = props;
  const help = t(channel === 'email' ? 'campaign.test.help' : 'campaign.test.help.sms');
  const fields: FieldOf<TestBody>[] = [
    { name: 'recipients', label: t('campaign.test.to'), type: 'words', required: true, help },
    {
      name: 'contact_id',
      label: t('editor.test.contact'),
      type: 'custom',
      help: t('editor.test.contact.help'),
      custom: { Input: ContactInput, bodyOf: (value) => chosenOf(value)?.id ?? null },
    },
  ];
  if (variants.length > 0)
    fields.push({
      name: 'variant',
      label: t('campaign.variant'),
      type: 'choice',
      choices: [
        { value: '', label: t('campaign.test.no_variant') },
        ...variants.map((key) => ({ value: key, label: t('campaign.variant.name', { key }) })),
      ],
    });
  return (
    <FormDialog
      title={t('campaign.test')}
      fields={fields}
      submit={t('campaign.test.submit')}
      save={send}
      done={t('campaign.test.done')}
      onClose={onClose}
    />
  );
}

/** A contact is kept as JSON, with its name. */
function chosenOf(value: Value): ChosenContact | null {
  return value === '' ? null : (JSON.parse(String(value)) as ChosenContact);
}

function ContactInput({ field, value, error, onChange }: InputProps) {
  return (
    <div>
      <ContactChoice
        label={field.label}
        contact={chosenOf(value)}
        onChoose={(contact) => onChange(contact === null ? '' : JSON.stringify(contact))}
      />
      {error === undefined ? <p className="dim">{field.help}</p> : <p role="alert">{error}</p>}
    </div>
  );
}
