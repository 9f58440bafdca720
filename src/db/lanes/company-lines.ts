/** One owner's jobs in the order of their arrival. Uses a head index instead of shift(), which shifts all later elements. */
class Line<Job> {
  private jobs: Job[] = [];
  private head = 0;

  get length(): number {
    return this.jobs.length - this.head;
  }

  first(): Job {
    return this.jobs[this.head]!;
  }

  push(job: Job): void {
    this.jobs.push(job);
  }

  shift(): Job {
    const job = this.jobs[this.head]!;
    this.head++;
    if (this.head > 64 && this.head * 2 > this.jobs.length) {
      this.jobs = this.jobs.slice(this.head);
      this.head = 0;
    }
    return job;
  }
}

/**
 * Jobs of many owners (companies), served in turn: an owner with a thousand jobs delays one with a single job by one job.
 * Within an owner, first come, first served.
 */
export class CompanyLines<Job> {
  /** Insertion order is the order of service: an owner that was served goes to the back. */
  private readonly lines = new Map<number, Line<Job>>();
  private waiting = 0;

  /** Jobs of all owners. */
  get size(): number {
    return this.waiting;
  }

  sizeOf(owner: number): number {
    return this.lines.get(owner)?.length ?? 0;
  }

  /** Whether anybody but this owner waits. */
  othersThan(owner: number): boolean {
    return this.lines.size > (this.lines.has(owner) ? 1 : 0);
  }

  push(owner: number, job: Job): void {
    let line = this.lines.get(owner);
    if (line === undefined) {
      line = new Line();
      this.lines.set(owner, line);
    }
    line.push(job);
    this.waiting++;
  }

  /** Returns the next job that may start now, or undefined. Only the first of each owner is considered. */
  take(mayStart: (job: Job, owner: number) => boolean): Job | undefined {
    for (const [owner, line] of this.lines) {
      if (!mayStart(line.first(), owner)) continue;
      const job = line.shift();
      this.waiting--;
      this.lines.delete(owner);
      if (line.length > 0) this.lines.set(owner, line);
      return job;
    }
    return undefined;
  }

  /** Removes late jobs from the front of each line and returns them. */
  dropLate(isLate: (job: Job) => boolean): Job[] {
    const late: Job[] = [];
    for (const [owner, line] of this.lines) {
      while (line.length > 0 && isLate(line.first())) late.push(line.shift());
      if (line.length === 0) this.lines.delete(owner);
    }
    this.waiting -= late.length;
    return late;
  }
}
