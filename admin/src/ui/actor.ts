import { t, tOf } from '../i18n/i18n.ts';

/** Describes who did something: people by name, keys by their name, the program by the task. */
export function actorText(actor: string, name: string | null): string {
  if (name !== null) return name;
  const [kind = '', rest = ''] = actor.split(/:(.*)/s);
  if (kind === 'key') return t('actor.key', { name: rest });
  if (kind === 'worker') return t('actor.worker');
  if (kind === 'admin') return t('actor.admin', { id: rest });
  return tOf('actor', actor);
}

export function isPerson(actor: string): boolean {
  return actor.startsWith('admin:');
}
