import { useQuery } from '@tanstack/react-query';
import { type Api, ok } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { Status } from '../../ui/Status.tsx';
import css from './Consents.module.css';

const CHANNELS = ['email', 'sms'] as const;

async function load(api: Api, id: number, signal: AbortSignal) {
  const params = { path: { id } };
  const [contact, { consents }] = await Promise.all([
    ok(api.GET('/contacts/{id}', { params, signal })),
    ok(api.GET('/contacts/{id}/consents', { params, signal })),
  ]);
  return { contact, consents };
}

/** Whether messages may be sent to a contact, by channel, and the history of that. */
export function Consents({ id }: { id: number }) {
  const { api, company } = useShop();
  const query = useQuery({
    queryKey: [company.id, 'contacts', id, 'consents'],
    queryFn: ({ signal }) => load(api, id, signal),
  });
  return (
    <Section title={t('consent.title')}>
      <LoadedPart query={query}>{(data) => <Channels data={data} />}</LoadedPart>
    </Section>
  );
}

function Channels({ data }: { data: Awaited<ReturnType<typeof load>> }) {
  return (
    <>
      {CHANNELS.map((channel) => {
        const now = data.contact.consent[channel];
        const history = data.consents.filter((entry) => entry.channel === channel).toReversed();
        return (
          <div key={channel} className={css.channel}>
            <div className={css.state}>
              <strong>{tOf('channel', channel)}</strong>
              <Status value={now.state} />
            </div>
            {history.length === 0 ? null : (
              <details>
                <summary>{t('consent.history', { n: history.length })}</summary>
                <ol className={css.history}>
                  {history.map((entry) => (
                    <li key={`${entry.since} ${entry.state} ${entry.source}`}>
                      <span>
                        {tOf('status', entry.state)} · {sourceOf(entry.source)}
                      </span>
                      <span className="dim">
                        <Moment at={entry.since} />
                        {entry.address === null ? null : <span className="break"> · {entry.address}</span>}
                      </span>
                      {entry.text === null ? null : <q className="break">{entry.text}</q>}
                    </li>
                  ))}
                </ol>
              </details>
            )}
          </div>
        );
      })}
    </>
  );
}

/** `person:7` is somebody who works for the company. */
function sourceOf(source: string): string {
  return source.startsWith('person:') ? t('consent.source.person') : tOf('consent.source', source);
}
