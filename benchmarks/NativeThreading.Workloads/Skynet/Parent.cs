namespace NativeThreading.Workloads.Skynet;

/// <summary>A node as its children see it. The children are numbered in the order in which they start; the last one to report passes the sum of all
/// on to the node's own parent.</summary>
internal sealed class Parent(Parent? above, SkynetTree tree, long first, long leavesPerChild, int children)
{
    // Sums stay below 2^56 (499,999,500,000 at the root); above them is the number of children that have reported.
    private const int CountShift = 56;

    private int _started;
    private long _reported;

    public SkynetTree Tree { get; } = tree;

    public long LeavesPerChild { get; } = leavesPerChild;

    /// <summary>The ordinal of the first leaf of the child that asks; once per child.</summary>
    public long NextChild() => first + ((Interlocked.Increment(ref _started) - 1) * LeavesPerChild);

    public void Report(long sum)
    {
        for (Parent at = this; ; at = at.Above)
        {
            long reported = Interlocked.Add(ref at._reported, sum + (1L << CountShift));
            if (reported >> CountShift != at.ExpectedReports)
            {
                return;
            }

            sum = reported & ((1L << CountShift) - 1);
            if (at.Above is null)
            {
                at.Tree.End(sum);
                return;
            }
        }
    }

    private Parent? Above { get; } = above;

    private int ExpectedReports { get; } = children;
}
