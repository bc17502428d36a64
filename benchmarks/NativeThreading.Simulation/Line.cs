namespace NativeThreading.Simulation;

/// <summary>
/// A cache line: who has a copy, who may write it, and until when it is on its way. Transfers of one line follow each other; a
/// line that several read is copied for all of them at the same time.
/// </summary>
internal sealed class Line(LineKind kind)
{
    private const int Nobody = -1;

    private readonly ulong[] _copies = new ulong[Agent.Most / 64];
    private int _writer = Nobody;
    private long _freeAt;

    public void Read(Agent agent)
    {
        if (_writer == agent.Index || Has(agent.Index))
        {
            agent.Spend(agent.Costs.Hit);
            return;
        }

        Move(agent, agent.Costs.Transfer, _writer == Nobody ? agent.Costs.Hit : agent.Costs.Transfer);
        _writer = Nobody;
        Give(agent.Index);
    }

    public void Write(Agent agent, long extra = 0)
    {
        if (_writer == agent.Index)
        {
            agent.Spend(agent.Costs.Hit + extra);
            return;
        }

        Move(agent, agent.Costs.Transfer + extra, agent.Costs.Transfer + extra);
        Array.Clear(_copies);
        Give(agent.Index);
        _writer = agent.Index;
    }

    /// <summary>An interlocked change.</summary>
    public void Change(Agent agent) => Write(agent, agent.Costs.Atomic);

    private bool Has(int agent) => (_copies[agent / 64] >> (agent % 64) & 1) != 0;

    private void Give(int agent) => _copies[agent / 64] |= 1UL << (agent % 64);

    private void Move(Agent agent, long cost, long occupied)
    {
        long begin = Math.Max(agent.Now, _freeAt);
        _freeAt = begin + occupied;
        agent.Charge(kind, begin + cost - agent.Now);
    }
}
