import { useQuery } from '@tanstack/react-query';
import { type BodyOf, ok } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { useShop } from '../../app/session.tsx';
import { LANGUAGES } from '../../i18n/catalogues.ts';
import { t } from '../../i18n/i18n.ts';
import { Loaded } from '../../ui/DetailPage.tsx';
import { type Values, wordsOf } from '../../ui/form/values.ts';
import { type FieldGroup, RecordForm } from '../../ui/RecordForm.tsx';
import { Tabs } from './Tabs.tsx';

type Settings = paths['/sending-settings']['get']['responses'][200]['content']['application/json'];
type SettingsBody = BodyOf<'/sending-settings', 'patch'>;
/** The body with the form's own fields for quiet hours and the frequency cap. */
type Typed = SettingsBody & {
  quiet_start: string;
  quiet_end: string;
  cap_messages: number;
  cap_hours: number;
};

const groups = (): FieldGroup<Typed>[] => [
  {
    title: t('sending.sender'),
    fields: [
      { name: 'from_name', label: t('sending.from_name'), type: 'text', half: true },
      { name: 'from_email', label: t('sending.from_email'), type: 'email', half: true },
      { name: 'reply_to', label: t('sending.reply_to'), type: 'email', half: true },
      { name: 'sms_from', label: t('sending.sms_from'), type: 'text', half: true },
      { name: 'sms_help_text', label: t('sending.sms_help'), type: 'text' },
    ],
  },
  {
    title: t('sending.limits'),
    fields: [
      { name: 'quiet_start', label: t('sending.quiet_start'), type: 'text', half: true, help: t('sending.quiet.help') },
      { name: 'quiet_end', label: t('sending.quiet_end'), type: 'text', half: true, help: t('sending.quiet.help') },
      {
        name: 'cap_messages',
        label: t('sending.cap_messages'),
        type: 'number',
        half: true,
        help: t('sending.cap.help'),
      },
      { name: 'cap_hours', label: t('sending.cap_hours'), type: 'number', half: true, help: t('sending.cap.help') },
      { name: 'less_often_days', label: t('sending.less_often'), type: 'number', half: true },
      { name: 'max_lateness_hours', label: t('sending.lateness'), type: 'number', half: true },
      {
        name: 'domain_limits',
        label: t('sending.domain_limits'),
        type: 'words',
        bodyOf: (value) => Object.fromEntries(wordsOf(String(value)).map(limitOf)),
        help: t('sending.domain_limits.help'),
      },
    ],
  },
  {
    title: t('sending.measuring'),
    fields: [
      { name: 'track_opens', label: t('sending.track_opens'), type: 'switch' },
      { name: 'track_clicks', label: t('sending.track_clicks'), type: 'switch' },
      { name: 'attribution_days', label: t('sending.attribution'), type: 'number', half: true },
    ],
  },
  {
    title: t('sending.consent'),
    fields: [
      {
        name: 'new_contacts_by_events',
        label: t('sending.new_contacts'),
        type: 'choice',
        half: true,
        choices: [
          { value: 'never', label: t('sending.new_contacts.never') },
          { value: 'subscribed', label: t('sending.new_contacts.subscribed') },
        ],
      },
      {
        name: 'language',
        label: t('sending.language'),
        type: 'choice',
        half: true,
        choices: Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
      },
    ],
  },
];

function valuesOf(settings: Settings): Values {
  const { quiet_hours, frequency_cap, from_name, from_email, sms_from, language, new_contacts_by_events } = settings;
  return {
    from_name,
    from_email,
    sms_from,
    language,
    new_contacts_by_events,
    reply_to: settings.reply_to ?? '',
    sms_help_text: settings.sms_help_text ?? '',
    quiet_start: quiet_hours?.start ?? '',
    quiet_end: quiet_hours?.end ?? '',
    cap_messages: frequency_cap === null ? '' : String(frequency_cap.messages),
    cap_hours: frequency_cap === null ? '' : String(frequency_cap.hours),
    domain_limits: Object.entries(settings.domain_limits)
      .map(([domain, perHour]) => `${domain} ${perHour}`)
      .join('\n'),
    less_often_days: String(settings.less_often_days),
    max_lateness_hours: String(settings.max_lateness_hours),
    track_opens: settings.track_opens,
    track_clicks: settings.track_clicks,
    attribution_days: String(settings.attribution_days),
  };
}

/** `gmail.com 2000`, in the API's form; an invalid line is refused by the API, which quotes it. */
function limitOf(line: string): [string, number | string] {
  const [, domain = line, perHour = ''] = /^(\S+?)[\s:=]+(\d+)$/.exec(line) ?? [];
  return [domain, perHour === '' ? line : Number(perHour)];
}

/** Two fields of the form are one field of the API: if both are empty, it is null. */
function bodyOf({ quiet_start, quiet_end, cap_messages, cap_hours, ...body }: Typed, values: Values): SettingsBody {
  if (quiet_start !== undefined || quiet_end !== undefined) {
    const [start, end] = [String(values.quiet_start), String(values.quiet_end)];
    body.quiet_hours = start === '' && end === '' ? null : { start, end };
  }
  if (cap_messages !== undefined || cap_hours !== undefined) {
    const [messages, hours] = [values.cap_messages, values.cap_hours];
    const none = messages === '' && hours === '';
    body.frequency_cap = none ? null : { messages: Number(messages), hours: Number(hours) };
  }
  return body;
}

export function SendingPage() {
  const { api, company, can } = useShop();
  const settings = useQuery({
    queryKey: [company.id, 'sending-settings'],
    queryFn: ({ signal }) => ok(api.GET('/sending-settings', { signal })),
  });
  return (
    <>
      <Tabs current="sending" />
      <Loaded query={settings}>
        {(current) => (
          <RecordForm
            draft="settings-sending"
            groups={groups()}
            initial={valuesOf(current)}
            save={(body, values) => ok(api.PATCH('/sending-settings', { body: bodyOf(body, values) }))}
            fieldOf={(name) =>
              name === 'quiet_hours' ? 'quiet_start' : name === 'frequency_cap' ? 'cap_messages' : name
            }
            done={{ text: t('form.saved') }}
            submit={t('action.save')}
            readOnly={!can('marketing:write')}
          />
        )}
      </Loaded>
    </>
  );
}
