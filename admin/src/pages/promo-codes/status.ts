interface Usable {
  active: boolean;
  starts_at: string | null;
  ends_at: string | null;
  usage_limit: number | null;
  used_count: number;
}

/** The state of a code at a moment: only an active one can be used. */
export function statusOf(code: Usable, now: Date): 'inactive' | 'expired' | 'used_up' | 'scheduled' | 'active' {
  const { active, starts_at, ends_at, usage_limit, used_count } = code;
  if (!active) return 'inactive';
  if (ends_at !== null && Date.parse(ends_at) <= now.getTime()) return 'expired';
  if (usage_limit !== null && used_count >= usage_limit) return 'used_up';
  return starts_at !== null && Date.parse(starts_at) > now.getTime() ? 'scheduled' : 'active';
}
