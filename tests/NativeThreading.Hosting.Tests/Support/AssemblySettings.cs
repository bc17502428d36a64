// The log of a host tells of all pools of the process by their names, and so do counters: one test after the other.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
