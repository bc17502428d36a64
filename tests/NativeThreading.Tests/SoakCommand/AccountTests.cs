using NativeThreading.SoakProgram.Accounts;

namespace NativeThreading.Tests.SoakCommand;

/// <summary>What makes a soak worth its time: that the account sees lost items, and items that run twice.</summary>
public sealed class AccountTests
{
    private readonly List<string> _errors = [];
    private readonly Account _account;

    public AccountTests() => _account = new Account("pool", _errors.Add);

    [Fact]
    public void EachItemSettledOnce_Balances()
    {
        _account.Issue("a").Run();
        _account.Issue("b").Refuse();
        _account.Issue("dropped");
        Assert.True(_account.Close(dropped: 1));
        Assert.Empty(_errors);
    }

    [Fact]
    public void LostItem_IsReportedWithItsKind()
    {
        _account.Issue("a").Run();
        _account.Issue("a groups");
        _account.Issue("b");
        Assert.False(_account.Close(dropped: 1));
        Assert.Equal("pool: 1 items were lost: 3 queued, 1 ran, 0 were refused, the shutdown dropped 1; open: 1 of a groups, 1 of b", Assert.Single(_errors));
    }

    [Fact]
    public void ItemThatWasCountedAsDroppedAndRan_IsReported()
    {
        _account.Issue("a").Run();
        Assert.False(_account.Close(dropped: 1));
        Assert.Contains("counted as dropped, and ran", Assert.Single(_errors), StringComparison.Ordinal);
    }

    [Fact]
    public void ItemThatRunsTwice_IsReported()
    {
        Ticket ticket = _account.Issue("a");
        ticket.Run();
        ticket.Run();
        Assert.Equal("pool: a: an item ran twice", Assert.Single(_errors));
        Assert.True(_account.Close(dropped: 0)); // and counts once
    }

    [Fact]
    public void ItemThatWasRefusedAndRuns_IsReported()
    {
        Ticket ticket = _account.Issue("a");
        ticket.Refuse();
        ticket.Run();
        Assert.Equal("pool: a: an item ran that had been refused", Assert.Single(_errors));
    }

    [Fact]
    public void ItemThatRanAndWasRefused_IsReported()
    {
        Ticket ticket = _account.Issue("a");
        ticket.Run();
        ticket.Refuse();
        Assert.Equal("pool: a: an item was refused that had run", Assert.Single(_errors));
    }

    [Fact]
    public void DroppedItemThatRunsAfterAll_IsReported()
    {
        Ticket ticket = _account.Issue("a");
        Assert.True(_account.Close(dropped: 1));
        ticket.Run();
        Assert.Equal("pool: a: ran after the account had been closed", Assert.Single(_errors));
    }

    [Fact]
    public void ItemQueuedLate_IsReported()
    {
        _account.Close(dropped: 0);
        _account.Issue("a");
        Assert.Contains("queued after the account had been closed", Assert.Single(_errors), StringComparison.Ordinal);
    }

    [Fact]
    public void ItemThatStillRuns_IsNotAtRest()
    {
        Ticket ticket = _account.Issue("a");
        _account.Begin();
        ticket.Run();
        Assert.False(_account.IsAtRest(dropped: 0)); // it may queue others
        _account.End();
        Assert.True(_account.IsAtRest(dropped: 0));
    }

    [Fact]
    public void OnlyOneOfRunAndRefusalThatMayRace_Counts()
    {
        Ticket ticket = _account.Issue("a");
        Assert.True(ticket.TryRun());
        Assert.False(ticket.TryRefuse());
        Assert.False(ticket.TryRun());
        Assert.True(_account.Close(dropped: 0));
        Assert.Empty(_errors);
    }
}
