using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>Level-triggered: told for as long as it lasts. Edge-triggered: told of each change.</summary>
public sealed class TriggeringTests : DescriptorTest
{
    private readonly Pair _pair = Pair.OfSockets();
    private readonly Told _told = new();

    protected override void Release() => _pair.Dispose();

    [Fact]
    public void Level_IsToldUntilItIsRead()
    {
        const int tellings = 5;
        EventLoopRegistration? registration = null;
        byte[] buffer = new byte[8];
        _told.Then = _ =>
        {
            if (_told.Count == tellings)
            {
                Assert.True(registration!.TryRead(buffer, out int count));
                Assert.Equal(2, count);
            }
        };
        registration = Watch(_pair.Here, Read, _told);

        _pair.There.Write(1, 2);
        for (int i = 0; i < tellings; i++)
        {
            Assert.Equal(EventLoopReadiness.Read, _told.Next());
        }

        AwaitLook();
        Assert.Equal(tellings, _told.Count);
    }

    [Fact]
    public void Edge_IsToldOnce()
    {
        Watch(_pair.Here, Read | EdgeTriggered, _told);
        _pair.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, _told.Next());

        AwaitLook();
        AwaitLook();

        Assert.Equal(1, _told.Count);
    }

    [Fact]
    public void Edge_IsToldOfEachArrival_ThoughNothingWasRead()
    {
        Watch(_pair.Here, Read | EdgeTriggered, _told);
        for (int i = 1; i <= 5; i++)
        {
            _pair.There.Write(1);
            Assert.Equal(EventLoopReadiness.Read, _told.Next());
        }

        AwaitLook();
        Assert.Equal(5, _told.Count);
    }

    [Fact]
    public void Edge_ThatWasThereBefore_IsTold()
    {
        _pair.There.Write(1);
        Watch(_pair.Here, Read | EdgeTriggered, _told);
        Assert.Equal(EventLoopReadiness.Read, _told.Next());
    }

    [Fact]
    public void Edge_OfWriting_IsToldWhenAFullSocketHasRoomAgain()
    {
        _pair.Here.Fill();
        Watch(_pair.Here, Write | EdgeTriggered, _told);
        AwaitLook();
        Assert.Equal(0, _told.Count);

        Assert.NotEmpty(_pair.There.ReadAll());

        Assert.Equal(EventLoopReadiness.Write, _told.Next());
    }
}
