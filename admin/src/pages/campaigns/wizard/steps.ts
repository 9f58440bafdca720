/** The steps to a campaign, in order; `step` in the address names one. */
export const STEPS = ['who', 'what', 'when', 'check', 'go'] as const;
export type Step = (typeof STEPS)[number];

export function stepOf(value: string | undefined): Step {
  return STEPS.find((step) => step === value) ?? 'who';
}

export function stepAfter(step: Step): Step {
  return STEPS[STEPS.indexOf(step) + 1] ?? 'go';
}

/** The address of a step. */
export function stepPath(id: number, step: Step): string {
  return `campaigns/${id}/edit?step=${step}`;
}
